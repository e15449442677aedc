/** How a browser says what only it knows of its requests; visit.ts sends it. */

/** On every Flight request: the tab's id, 32 hexadecimal characters. */
export const visitHeader = 'x-flight-visit';

/** Request ids of prefetches that navigations have shown since the last request, `,` between them. */
export const usedHeader = 'x-flight-used';

/** 33 characters each: together less than a kilobyte of headers. The rest goes with the next request. */
export const usedAtOnce = 20;

/** Where a document that is closed posts its trace's id and what its requests did not say, `,` between the ids. */
export const usagePath = '/_api/flight-usage';
