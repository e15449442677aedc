import { flightColumns, type Column, type FieldValue } from './flight-columns.ts';

/**
 * A flight on its way from the thread that serves pages to the one that writes, without its bytes: those columns that
 * travel, and a few fields that the writer needs and does not store as they are.
 */
const passingFields = [
  /** The browser tab that the request named. The writer may know it where the request did not say. */
  { field: 'visit', type: 'text', holds: 'value', travels: 'optional-text' },
  /** `<trace>-<span>` of whoever asked (W3C). For telemetry alone. */
  { field: 'parent', type: 'text', holds: 'value', travels: 'optional-text' },
  /** Names a prerendered file's content, which is then sent along once. */
  { field: 'etag', type: 'text', holds: 'value', travels: 'shape' },
  /** The media type of an action's arguments; null when this is no action. */
  { field: 'actionType', type: 'text', holds: 'value', travels: 'shape' },
  /** Of an action's arguments, as they came. */
  { field: 'actionBytes', type: 'integer not null', holds: 'value', travels: 'number' },
  { field: 'debugBytes', type: 'integer not null', holds: 'value', travels: 'number' },
  /** As the sender of a received flight found it out. */
  { field: 'knownFramework', type: 'text', holds: 'value', travels: 'shape' },
  { field: 'knownDecodedBytes', type: 'integer', holds: 'value', travels: 'optional-number' },
  /** Of an answer that a proxy saw: before its first chunk with Flight there may be a document's beginning. */
  { field: 'knownFirstByteMs', type: 'real', holds: 'value', travels: 'optional-number' },
  /** Of a received document. */
  { field: 'knownFlightBytes', type: 'integer', holds: 'value', travels: 'optional-number' },
  /**
   * Of counted hits: how many of the same second were written before, in a row with this request id. These are added to it.
   */
  { field: 'hitsBefore', type: 'integer not null', holds: 'value', travels: 'number' },
] as const;

/** A value in the query under a secret name: it is taken out of the payload, and not written. */
type QuerySecret = { readonly name: string; readonly value: string };

type Traveller = Exclude<Column, { readonly travels: 'writer' | 'later' }> | (typeof passingFields)[number];

export type FlightHead = { readonly [Each in Traveller as Each['field']]: FieldValue<Each> } & {
  readonly secrets: readonly QuerySecret[];
};

/** Every field of a head but `secrets`. */
export const travellers = [
  ...flightColumns.flatMap((entry) => (entry.travels === 'writer' || entry.travels === 'later' ? [] : [entry])),
  ...passingFields,
];

/** Which field travels how: packing a flight and unpacking it are made from these, in this order. */
export const shapeFields = travellers.flatMap((entry) =>
  entry.travels === 'shape' && entry.holds !== 'names' ? [entry.field] : [],
);
export const shapeListFields = travellers.flatMap((entry) =>
  entry.travels === 'shape' && entry.holds === 'names' ? [entry.field] : [],
);
export const numberFields = travellers.flatMap((entry) => (entry.travels === 'number' ? [entry.field] : []));
export const optionalNumberFields = travellers.flatMap((entry) =>
  entry.travels === 'optional-number' ? [entry.field] : [],
);
export const textFields = travellers.flatMap((entry) => (entry.travels === 'text' ? [entry.field] : []));
export const optionalTextFields = travellers.flatMap((entry) =>
  entry.travels === 'optional-text' ? [entry.field] : [],
);
export const listFields = [
  ...travellers.flatMap((entry) => (entry.travels === 'list' ? [entry.field] : [])),
  'secrets' as const,
];

/** What flights of one page share. */
export type FlightShape = Pick<FlightHead, (typeof shapeFields)[number] | (typeof shapeListFields)[number]>;

/** Numbers of a flight before those of its chunks, and numbers of each chunk. */
export const numbersInHead = numberFields.length + optionalNumberFields.length;
export const numbersPerChunk = 3;
