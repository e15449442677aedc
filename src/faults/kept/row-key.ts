import 'server-only';

import { ownApp } from '#src/store/own-app.ts';

/**
 * `event.id`: `<app>.<event id>`. App ids have no dot, so ids of two apps never meet, and none is a digest of ours. What a browser
 * untrusted errors may have the id of a server's error: the key of the table has the side, too. What this server's own browsers report
 * has the event's id alone.
 *
 * @param eventId 32 hex digits, small letters
 */
export function toRowKey(app: string, eventId: string): string {
  return app === ownApp ? eventId : `${app}.${eventId}`;
}
