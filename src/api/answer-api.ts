import 'server-only';

import * as v from 'valibot';

import { readApiPath } from '#src/server/http/addresses.ts';
import type { OperatorAccess } from '#src/server/http/request-context.ts';

import { type ApiAnswer, type Endpoint, notFound } from './answer.ts';
import { endpoints } from './endpoints.ts';
import { readParameters } from './parameters.ts';

/**
 * Answers a question of the API, for the server (api/middleware/read-api.ts) and for commands. The request's context must hold the same
 * access already: every query asks it (access/require-operator.ts). What an endpoint answers goes through its schema, so nothing
 * that is not described leaves it.
 */
type Matched = { readonly endpoint: Endpoint; readonly id: string };

/** A code that is pasted whole may be long; nothing that is looked up is longer. */
const longestId = 1_000;

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

function match(endpoint: Endpoint, parts: readonly string[]): Matched | undefined {
  const pattern = endpoint.path.split('/');
  if (pattern.length !== parts.length) return undefined;
  let id = '';
  for (const [index, expected] of pattern.entries()) {
    const part = parts[index] ?? '';
    if (expected.startsWith('{')) id = decode(part) ?? '';
    else if (expected !== part) return undefined;
    if (expected.startsWith('{') && (id === '' || id.length > longestId)) return undefined;
  }
  return { endpoint, id };
}

/** @param pathname as in the URL, encoded */
export function findEndpoint(pathname: string): Matched | undefined {
  if (!isReadApiPath(pathname)) return undefined;
  const parts = pathname.slice(readApiPath.length + 1).split('/');
  for (const endpoint of endpoints) {
    const matched = match(endpoint, parts);
    if (matched) return matched;
  }
  return undefined;
}

export function isReadApiPath(pathname: string): boolean {
  return pathname === readApiPath || pathname.startsWith(`${readApiPath}/`);
}

type Asked = {
  readonly pathname: string;
  readonly search: string;
  readonly access: OperatorAccess;
  readonly origin: string;
};

/** @throws when a query fails, or answers with something else than is described */
export async function answerApi({ pathname, search, access, origin }: Asked): Promise<ApiAnswer> {
  const found = findEndpoint(pathname);
  if (!found) return notFound('no such address of the API');
  const { endpoint, id } = found;
  const read = readParameters(endpoint.parameters, search);
  if (read.type === 'wrong') {
    const named = read.problems.map(({ name }) => name).join(', ');
    return { type: 'refused', code: 'wrong-parameter', detail: named, more: { parameters: read.problems } };
  }
  const answer = await endpoint.answer({ id, fields: read.fields, access, origin, now: Date.now() });
  if (answer.type !== 'json' || typeof endpoint.answers === 'string') return answer;
  return { type: 'json', body: v.parse(endpoint.answers.schema, answer.body) };
}
