import type * as v from 'valibot';

import type { ErrorCode } from '#src/server/http/error-codes.ts';
import type { OperatorAccess } from '#src/server/http/request-context.ts';

import type { Parameter } from './parameters.ts';

/** What an endpoint of the API answers with, before it is a response of a server or the output of a command. */
export type ApiAnswer =
  | { readonly type: 'json'; readonly body: unknown }
  /** The same for everybody, so it may be kept: the document that describes the API. */
  | { readonly type: 'document'; readonly json: string }
  | { readonly type: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer>; readonly contentType: string }
  | ApiRefusal;

export type ApiRefusal = {
  readonly type: 'refused';
  readonly code: ErrorCode;
  /** For the log alone. */
  readonly detail: string;
  /** What stands beside the error in the answer. */
  readonly more?: Readonly<Record<string, unknown>>;
};

/** What an endpoint is asked. */
export type ApiQuestion = {
  /** What stands in the place of `{…}` in its path; empty without one. */
  readonly id: string;
  /** Checked. */
  readonly fields: URLSearchParams;
  readonly access: OperatorAccess;
  /** What the addresses of pages begin with. */
  readonly origin: string;
  /** Milliseconds since 1970. */
  readonly now: number;
};

export type Endpoint = {
  /** Below `/api/v1/`, with OpenAPI's braces: `faults/{id}`. */
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  /** Of what stands in `{…}`. */
  readonly id?: string;
  readonly parameters: readonly Parameter[];
  /** Answers without a token. */
  readonly isOpen?: true;
  /** `bytes` for one that answers with something else than JSON; `document` for the description. */
  readonly answers: { readonly name: string; readonly schema: v.GenericSchema } | 'bytes' | 'document';
  /** What stands beside the error when nothing is found. */
  readonly notFound?: { readonly [name: string]: v.GenericSchema };
  readonly answer: (question: ApiQuestion) => Promise<ApiAnswer> | ApiAnswer;
};

export function notFound(detail: string, more?: Readonly<Record<string, unknown>>): ApiRefusal {
  return { type: 'refused', code: 'not-found', detail, ...(more ? { more } : {}) };
}
