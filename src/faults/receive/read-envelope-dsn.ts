import 'server-only';

import { parseDsn } from '#src/server/environment/parse-dsn.ts';

import { parseEnvelopeHeader } from './envelope.ts';

/**
 * For whom an envelope says it is. An SDK that posts through a tunnel of its app's own names its key nowhere else. The host in it
 * is the one that the SDK was given, which a proxy in front may know under another name: only project and key are compared.
 */
export type EnvelopeDsn =
  | { readonly type: 'none' }
  | { readonly type: 'given'; readonly project: string; readonly key: string }
  | { readonly type: 'malformed'; readonly detail: string };

export function readEnvelopeDsn(bytes: Uint8Array): EnvelopeDsn {
  const header = parseEnvelopeHeader(bytes);
  if (header.status === 'malformed') return { type: 'malformed', detail: header.detail };
  const { dsn } = header.value;
  if (dsn === undefined || dsn === null) return { type: 'none' };
  const parsed = typeof dsn === 'string' ? parseDsn(dsn) : undefined;
  if (!parsed) return { type: 'malformed', detail: 'the DSN in the envelope header cannot be read' };
  return { type: 'given', project: parsed.project, key: parsed.publicKey };
}
