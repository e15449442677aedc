import 'server-only';

import type { IncomingMessage, ServerResponse } from 'node:http';

import type { FileInFlight, FileRule } from '#src/server/http/file-rule.ts';
import { toRequestHeaders } from '#src/server/http/request-context.ts';

import { chooseAnswer, completeHeaders, type StaticFile, type Variant } from './static-files.ts';

/**
 * Sends a file of the build from memory, with headers that were put together once, when the rules of all middlewares let
 * it through (src/server/http/file-rule.ts): after the checks of the request's head and before Hono, whose objects and header
 * lists cost several times the answer itself.
 *
 * Only the plain case: a GET of exactly the file's path, as it stands in the request line, without a query. Everything
 * else, and whatever a rule does not let through, goes on to the middlewares and to `serveStaticFiles`.
 */
export type SendFile = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  address: () => string,
) => boolean | Promise<boolean>;

/** Characters that have one spelling in a URL: a path of these alone is the same decoded and as it came. */
const plainPath = /^\/[\w./-]*$/;

type Prepared = { readonly complete: readonly string[]; readonly notModified: readonly string[] };

type Admit = NonNullable<FileRule['admits']>;

/** Asks the rules in their order, to the first that says no; the rules behind one that waits are asked when it has settled. */
function admitAll(rules: readonly Admit[], file: FileInFlight, from = 0): boolean | Promise<boolean> {
  for (let at = from; at < rules.length; at += 1) {
    const isAdmitted = rules[at]?.(file);
    if (isAdmitted instanceof Promise) return isAdmitted.then((isSo) => isSo && admitAll(rules, file, at + 1));
    if (isAdmitted === false) return false;
  }
  return true;
}

/** @param rules outermost first, as the middlewares stand */
export function createFileSender(files: ReadonlyMap<string, StaticFile>, rules: readonly FileRule[]): SendFile {
  const admits = rules.flatMap((rule) => rule.admits ?? []);
  const sends = rules.flatMap((rule) => rule.send ?? []);
  function isSendable(path: string): boolean {
    return plainPath.test(path) && path !== '/404' && !rules.some((rule) => rule.answers?.(path));
  }
  const sendable = new Map([...files].filter(([path]) => isSendable(path)));
  // When they are first asked for: the policy depends on settings that are read at the start.
  const prepared = new Map<Variant, Prepared>();

  /** Names and values in turn, as Node takes them without making an object. */
  function prepare(file: StaticFile, variant: Variant): Prepared {
    const headers = new Headers(completeHeaders(file, variant));
    for (const rule of rules) rule.prepare?.(headers);
    const notModified = [...headers].flat();
    return { notModified, complete: [...notModified, 'content-length', String(variant.body.byteLength)] };
  }

  function write(file: StaticFile, inFlight: FileInFlight, incoming: IncomingMessage): true {
    const { 'accept-encoding': encodings, 'if-none-match': ifNoneMatch } = incoming.headers;
    const { status, variant } = chooseAnswer(file, encodings?.toString(), ifNoneMatch);
    const known = prepared.get(variant) ?? prepare(file, variant);
    prepared.set(variant, known);
    const { outgoing, answerHeaders } = inFlight;
    const answered = sends.map((send) => send(inFlight));
    if (status === 304) outgoing.writeHead(status, [...known.notModified, ...answerHeaders]).end();
    else outgoing.writeHead(status, [...known.complete, ...answerHeaders]).end(variant.body);
    for (const tell of answered) tell?.(status, status === 304 ? 0 : variant.body.byteLength);
    return true;
  }

  return function sendFile(incoming, outgoing, address) {
    const { url: path = '' } = incoming;
    const file = incoming.method === 'GET' ? sendable.get(path) : undefined;
    if (!file) return false;
    const { prerendered } = file;
    const headers = toRequestHeaders(incoming.headers);
    const inFlight = { path, headers, address, prerendered, outgoing, context: undefined, answerHeaders: [] };
    const isAdmitted = admitAll(admits, inFlight);
    if (!(isAdmitted instanceof Promise)) return isAdmitted && write(file, inFlight, incoming);
    // The client may have gone meanwhile.
    return isAdmitted.then((isSo) => isSo && !outgoing.closed && write(file, inFlight, incoming));
  };
}
