import { isRecord } from '#boundary';
import type { RowCause, Transfer } from '#flight';
import type { Editor } from '#src/ui/editor/find-editor-address.ts';

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
    readonly isKeptInPart?: boolean | undefined;
    readonly transfer?: Transfer | undefined;
  };
  readonly responseBytes?: number | undefined;
  readonly transferred?: number | undefined;
  /** What the server asked of others meanwhile, where it tells it. */
  readonly requests?: readonly RowCause[] | undefined;
  /** Pairs of hashed id and source file. */
  readonly sources: readonly (readonly [string, string])[];
  /** In development: where the sources that it names open. */
  readonly editor?: Editor | undefined;
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

/** Reads how the response was sent from JSON. */
function readTransfer(value: unknown): Transfer | undefined {
  if (!isRecord(value)) return undefined;
  const { response, sent, codec } = value;
  if (typeof response !== 'number' || typeof sent !== 'number') return undefined;
  return { response, sent, codec: typeof codec === 'string' ? codec : undefined };
}

/** Of this app's own flights, in development alone. */
function readEditor(value: unknown): Editor | undefined {
  if (!import.meta.env.DEV || !isRecord(value)) return undefined;
  const { template, folders } = value;
  if (typeof template !== 'string' || !Array.isArray(folders)) return undefined;
  return { template, folders: folders.filter((folder): folder is string => typeof folder === 'string') };
}

/** Reads facts from JSON of this server; undefined when it is something else, as from a server of another version. */
export function readPayloadFacts(value: unknown): PayloadFacts | undefined {
  if (!isRecord(value) || !isRecord(value['response'])) return undefined;
  const { address, title, chunks, response, responseBytes, transferred, sources } = value;
  if (typeof address !== 'string' || typeof title !== 'string') return undefined;
  if (!Array.isArray(chunks) || !chunks.every(isChunk) || !Array.isArray(sources) || !sources.every(isPair)) {
    return undefined;
  }
  if (!isCount(responseBytes) || !isCount(transferred)) return undefined;
  const known = {
    isPrefetch: response['isPrefetch'] === true,
    isPrerender: response['isPrerender'] === true,
    isKeptInPart: response['isKeptInPart'] === true,
  };
  const { isCut } = response;
  const cut = typeof isCut === 'boolean' ? { isCut } : {};
  const transfer = readTransfer(response['transfer']);
  const facts = { ...known, ...cut, ...(transfer ? { transfer } : {}) };
  const editor = readEditor(value['editor']);
  return { address, title, chunks, response: facts, responseBytes, transferred, sources, editor };
}
