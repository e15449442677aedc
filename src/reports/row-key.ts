import 'server-only';

import { ownApp } from '#src/store/own-app.ts';

/**
 * The key of an occurrence, `error.id` or `report.event_id`: `<app>.<event id>`. App ids have no dot, so ids of two apps never
 * meet, and none is a digest of ours. What this server's own browsers report has the event's id alone.
 *
 * @param eventId 32 hex digits, small letters
 */
export function toRowKey(app: string, eventId: string): string {
  return app === ownApp ? eventId : `${app}.${eventId}`;
}
