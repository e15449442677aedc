import 'server-only';

/**
 * What stands around the router of an app without digests: its errors are Waku's. A module of its own, since the error page has a
 * part in the app's other server bundle, which would be built even where nothing calls it.
 */
export { withActions as handleInside } from './note-actions.ts';
