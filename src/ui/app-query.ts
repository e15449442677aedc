/**
 * Which app a list is of: `?app=` in its address, so that the choice can be bookmarked and works without JavaScript. Without it
 * a list is of all apps.
 */

/** As apps/app-id.ts has them. It comes from outside: what cannot be an id chooses nothing. */
const idPattern = /^[a-z0-9-]{1,40}$/;

/** @param search a query, with or without `?` */
export function parseAppQuery(search: string): string | undefined {
  const id = new URLSearchParams(search).get('app');
  return id !== null && idPattern.test(id) ? id : undefined;
}

/** `?app=shop`, or nothing for all apps. */
export function formatAppQuery(app: string | undefined): string {
  return app === undefined ? '' : `?app=${app}`;
}
