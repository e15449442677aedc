import { isDeepStrictEqual } from 'node:util';

import { findBoundary, readMultipart, type ReplyPart } from '../../multipart.ts';
import { buildValue } from './build-value.ts';
import { type Description, describeReactValue } from './describe-react.ts';
import { hasTag } from './is-equal.ts';
import type { Plan } from './plans.ts';
import { isModuleExport, type ReactLine } from './react-lines.ts';

/** A reply as it travels: text, or the bytes of a multipart body. */
export type Body = { kind: 'text'; text: string } | { kind: 'multipart'; bytes: Uint8Array; contentType: string };

/** What React's client of `line` sends for an action's one argument, made from `plan`. */
export async function encodeReply(plan: Plan, line: ReactLine): Promise<Body> {
  const temporaryReferences = line.client.createTemporaryReferenceSet();
  const encoded = await line.client.encodeReply([buildValue(plan, line, 'client')], { temporaryReferences });
  return typeof encoded === 'string' ? { kind: 'text', text: encoded } : writeForm(encoded);
}

/** The multipart body that a browser would send. */
export async function writeForm(form: FormData): Promise<Body> {
  const response = new Response(form);
  const contentType = response.headers.get('content-type') ?? '';
  return { kind: 'multipart', bytes: new Uint8Array(await response.arrayBuffer()), contentType };
}

/** A body as the platform reads it. */
export async function readForm(body: Body): Promise<string | FormData> {
  if (body.kind === 'text') return body.text;
  return new Response(new Uint8Array(body.bytes), { headers: { 'content-type': body.contentType } }).formData();
}

/** The parts of a body as this decoder cuts it. */
export function readParts(body: Body): ReplyPart[] {
  if (body.kind === 'text') return [{ name: '0', value: body.text }];
  const boundary = findBoundary(body.bytes);
  if (boundary === undefined) throw new Error('a multipart body without a boundary');
  return readMultipart(body.bytes, boundary);
}

/** A server manifest that knows every action. */
export const serverManifest = new Proxy(
  {},
  {
    get: (_target, id) => (typeof id === 'string' ? { id, chunks: [], name: 'default' } : undefined),
    getOwnPropertyDescriptor: (_target, id) => ({ value: id, configurable: true, enumerable: true }),
    has: () => true,
  },
);

/** What React's own server of `line` makes of a reply. */
export async function describeReplyWithReact(body: Body, line: ReactLine): Promise<Description> {
  const temporaryReferences = line.server.createTemporaryReferenceSet();
  const root = line.server.decodeReply(await readForm(body), serverManifest, { temporaryReferences });
  async function describeKnown(value: unknown, describe: (inner: unknown) => Promise<Description>) {
    // The set knows every object of the arguments, so that they may go back; what stayed in the browser is a function.
    if (typeof value === 'function' && temporaryReferences.has(value)) return { temporary: true };
    return describeActionOf(value, describe);
  }
  return describeReactValue(root, { withFileNames: true, describeError: () => 'failed', describeKnown });
}

export async function describeActionOf(value: unknown, describe: (inner: unknown) => Promise<Description>) {
  if (!isModuleExport(value)) return undefined;
  const bound: Description[] = [];
  for (const argument of value.bound) bound.push(await describe(argument));
  return { action: value.module, bound };
}

/**
 * What React's server makes of FormData among the arguments is not always what was sent. It reads the fields in the order
 * in which they came and loses those that it needs later (of one within a stream); and React's client numbers fields in
 * decimal while its server looks for the hex number of the reference, so that from the tenth part on it finds none, or
 * those of another. There ours has them.
 */
export function excuseForms(parts: readonly ReplyPart[]) {
  const isMistaken = parts.some(({ name }) => /(?:^|:)_\d{2,}_/.test(name));
  return (ours: Description, theirs: Description) => {
    if (!hasTag(ours, 'form') || !hasTag(theirs, 'form')) return false;
    return isMistaken || isDeepStrictEqual(theirs['form'], []);
  };
}
