import { isRecord } from '#src/http/is-record.ts';

/** What the browser is told of a recorded flight, to fetch its bytes and show them: as props, or as JSON. */
export type PayloadFacts = {
  /** The address of its bytes. */
  readonly address: string;
  readonly title: string;
  readonly chunks: readonly { readonly ms: number; readonly bytes: number }[];
  /** What is known of the response that the counting needs. */
  readonly response: {
    readonly isPrefetch: boolean;
    readonly isPrerender: boolean;
    readonly isCut?: boolean | undefined;
  };
  readonly responseBytes?: number | undefined;
  readonly transferred?: number | undefined;
  /** Pairs of hashed id and source file. */
  readonly sources: readonly (readonly [string, string])[];
};

function isChunk(value: unknown): value is PayloadFacts['chunks'][number] {
  return isRecord(value) && typeof value['ms'] === 'number' && typeof value['bytes'] === 'number';
}

function isPair(value: unknown): value is readonly [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'string');
}

function isCount(value: unknown): value is number | undefined {
  return value === undefined || typeof value === 'number';
}

/** From JSON of this server; undefined when it is something else, as from a server of another version. */
export function readPayloadFacts(value: unknown): PayloadFacts | undefined {
  if (!isRecord(value) || !isRecord(value['response'])) return undefined;
  const { address, title, chunks, response, responseBytes, transferred, sources } = value;
  const { isPrefetch, isPrerender, isCut } = response;
  if (typeof address !== 'string' || typeof title !== 'string') return undefined;
  if (!Array.isArray(chunks) || !chunks.every(isChunk) || !Array.isArray(sources) || !sources.every(isPair)) {
    return undefined;
  }
  if (!isCount(responseBytes) || !isCount(transferred)) return undefined;
  const known = { isPrefetch: isPrefetch === true, isPrerender: isPrerender === true };
  const cut = typeof isCut === 'boolean' ? { isCut } : {};
  return { address, title, chunks, response: { ...known, ...cut }, responseBytes, transferred, sources };
}
