import type { Column, FieldValue } from './flight-columns.ts';
import type { FlightSizes } from './flight-sizes.ts';
import type { PrefetchOutcome } from './prefetch-outcome.ts';

/** What readers get of a column: a value that the row has not got is undefined. */
type Shown<Where extends Column['shown']> = {
  readonly [Each in Extract<Column, { readonly shown: Where }> as Each['field']]:
    | Exclude<FieldValue<Each>, null>
    | (null extends FieldValue<Each> ? undefined : never);
};

export type ListedFields = Shown<'list'>;
export type ShownFields = Shown<'list' | 'flight'>;

type DerivedFields = {
  /** Names of the query's parameters, decoded. */
  readonly query: readonly string[];
  readonly sizes: FlightSizes;
  /** More went out than was kept. */
  readonly isCut: boolean;
  /** How many chunks it was written in. */
  readonly writes: number;
  /** Of a prefetch: what became of it in the browser. */
  readonly prefetchOutcome: PrefetchOutcome | undefined;
};

/** A recorded flight as lists show it. flight-columns.ts says what each field is. Sums count `hits`; `bytes` are those of each. */
export type FlightSummary = Omit<ListedFields, keyof DerivedFields> & DerivedFields;

/** A part of the page that this response left out, because the browser said that it has it. */
export type ElidedElement = {
  readonly element: string;
  /**
   * The earlier flight of the same visit that brought it. A prerendered one does not say what it brings, and is only
   * named (`isCertain: false`) where no other did.
   */
  readonly from: { readonly id: number; readonly isCertain: boolean } | undefined;
};

type RecordedArguments = {
  readonly contentType: string;
  /** As they came; the values of secret-looking fields are taken out of `kept`. */
  readonly bytes: number;
  readonly kept: Uint8Array;
  readonly isCut: boolean;
};

export type RecordedFlight = Omit<ShownFields, keyof DerivedFields | 'elided'> &
  DerivedFields & {
    /** Flight rows, or the document's HTML when `content` is `html`. */
    readonly body: Uint8Array;
    /** Development's debug rows. */
    readonly debug: Uint8Array | undefined;
    readonly elided: readonly ElidedElement[];
    readonly args: RecordedArguments | undefined;
  };
