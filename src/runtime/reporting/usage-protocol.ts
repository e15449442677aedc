/** How a browser tells the server what only the browser knows of its requests. visit.ts sends it. */

/** On every Flight request: the tab's id, 32 hexadecimal characters. */
export const visitHeader = 'x-flight-visit';

/** Request ids of prefetches that navigations have shown since the last request, separated by `,`. */
export const usedHeader = 'x-flight-used';

/** 33 characters each: together less than a kilobyte of headers. The rest is sent with the next request. */
export const usedAtOnce = 20;

/**
 * When a document is closed, it posts its trace's id here, and the ids that its requests did not send, separated by
 * `,`.
 */
export const usagePath = '/_api/flight-usage';
