import 'server-only';

import { createHash } from 'node:crypto';

import type { SourceFrame } from './source-maps.ts';

/**
 * The fingerprints of version 1 of the rules, which rows of older databases have. An error whose fingerprint is new and whose
 * older one is known belongs to the fault of the older one. This file never changes.
 */
type ErrorToGroup = { readonly name: string; readonly message: string; readonly frames: readonly SourceFrame[] };

const framesCounted = 8;

function parameteriseMessage(message: string): string {
  return message
    .slice(0, 500)
    .replace(/\b[\w.+-]+@[\w-]+\.[\w.]+\b/g, '<email>')
    .replace(/\bhttps?:\/\/[^\s"')]+/g, '<url>')
    .replace(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, '<uuid>')
    .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/gi, '<hex>')
    .replace(/-?\d+(?:\.\d+)?/g, '<n>');
}

function stableName(fn: string): string {
  return fn.replace(/\$\d+/g, '').replace(/^Object\./, '');
}

function hash(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);
}

/** Reports of browsers: minified names changed with every build, so the source line stood for the name. */
function readLine({ context, line }: SourceFrame): string {
  return context?.lines[line - context.firstLine]?.trim() ?? '';
}

/** That of a server's error, and that of a browser's report of the same error. */
export function computeOlderFingerprints({ name, message, frames }: ErrorToGroup): readonly string[] {
  const own = frames.filter((frame) => frame.inApp).slice(0, framesCounted);
  if (own.length === 0) return [hash([name, parameteriseMessage(message)])];
  const named = own.map((frame) => `${frame.source ?? ''}|${stableName(frame.fn)}`);
  const lines = own.map((frame) => `${frame.source ?? ''}|${stableName(readLine(frame))}`);
  return [hash([name, ...named]), hash([name, ...lines])];
}
