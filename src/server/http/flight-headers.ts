/** The headers that are ours, between our browser code and our server. What else begins with `x-flight-` is dropped at the door. */

/** Of a request that calls a server action: its id, as Waku spells it in a path, `<module>/<export>`. */
export const actionHeader = 'x-flight-action';
/** Of a request for a page's payload that nobody has asked to see yet: what triggered it. */
export const prefetchHeader = 'x-flight-prefetch';
/**
 * A link came near the screen, or somebody pointed at it, moved the focus to it, or touched it. `render`, of another app: it was in the
 * page, out of sight.
 */
export const prefetchTriggers = ['viewport', 'hover', 'focus', 'touch', 'render'] as const;
export type PrefetchTrigger = (typeof prefetchTriggers)[number];
/**
 * Of a request that measures a saved experiment, in development: the server at the door drops it, so nobody else can set it.
 * What it measures is the experiment alone, without its page: src/lab/saves.
 */
export const saveHeader = 'x-flight-save';
/** Of a request in development that comes from this very machine: the dev server sets it, and removes anybody else's (src/ui/editor). */
export const hereHeader = 'x-flight-here';
/** Of a page's payload: `static` or `dynamic`, by which a prefetched page is kept longer or shorter. */
export const pageHeader = 'x-flight-page';
/** The digest of a failed request whose body is not a Flight stream. */
export const digestHeader = 'x-flight-digest';
/** On every Flight request: the tab's id, 32 hexadecimal characters. */
export const visitHeader = 'x-flight-visit';
/** Request ids of prefetches that navigations have shown since the last request, `,` between them. */
export const usedHeader = 'x-flight-used';
/** 33 characters each: together less than a kilobyte of headers. The rest goes with the next request. */
export const usedAtOnce = 20;
/** Of a request that an app's process passes on to the interface beside it: who sent it (visitor.ts). */
export const visitorHeader = 'x-flight-visitor';
/** Of reports that an app's server passes on with its secret key: `browser`, where a browser has sent them. */
export const sideHeader = 'x-flight-side';
/** Beside it: what of browsers the app's server refused since the last time, `too-many-requests=71` with `,` between them. */
export const refusedHeader = 'x-flight-refused';
/** Of an alert to a webhook: which message it is, the same at every attempt. */
export const deliveryHeader = 'x-flight-delivery';
/** And its signature: src/faults/alerts/kinds/webhook.ts. */
export const signatureHeader = 'x-flight-signature';

/** The value of `Server-Timing` that names an answer's flight to the page (packages/report/src/browser/flight-id.ts). */
export function formatFlightTiming(id: string): string {
  return `flight;desc="${id}"`;
}
