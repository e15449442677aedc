import * as v from 'valibot';

/** What the answers of the API are made of. A value that is not known is `null`: every field is always there. */

/** Milliseconds since 1970, as the database has them, become this. */
export const time = v.pipe(v.string(), v.isoTimestamp(), v.description('ISO 8601 in UTC, with milliseconds.'));

/** Of a fault: by this recorder's clock, whatever time its errors name. */
export const receivedTime = v.pipe(
  v.string(),
  v.isoTimestamp(),
  v.description('When an error of it was received: ISO 8601 in UTC, with milliseconds.'),
);

/** The end of the year 9999: what is beyond it, or before 1970, has no ISO 8601 of four digits. Somebody made such a time up. */
const furthest = 253_402_300_799_999;

export function toTime(milliseconds: number): string {
  return new Date(Math.max(0, Math.min(furthest, Math.trunc(milliseconds) || 0))).toISOString();
}

export function toTimeOrNull(milliseconds: number | null | undefined): string | null {
  return milliseconds === null || milliseconds === undefined ? null : toTime(milliseconds);
}

export const milliseconds = v.pipe(v.number(), v.description('Milliseconds.'));
export const count = v.pipe(v.number(), v.integer(), v.minValue(0));
export const bytes = v.pipe(v.number(), v.integer(), v.minValue(0), v.description('Bytes.'));
export const level = v.picklist(['debug', 'info', 'warning', 'error', 'fatal']);
export const side = v.picklist(['server', 'browser']);
export const texts = v.record(v.string(), v.string());

export const page = v.pipe(v.string(), v.description('Address of the page that shows this to the operator.'));
export const self = v.pipe(v.string(), v.description('Path of this in the API.'));
export const nextPage = v.pipe(
  v.nullable(v.string()),
  v.description('Path of the following part of the list, with its query; null at the end.'),
);
