import 'server-only';

import { describeError } from '#src/http/describe-error.ts';
import { writeLog } from '#src/http/log.ts';

import { parseEnvelope } from './envelope.ts';
import { type Dsn, readConfiguredDsn } from './parse-dsn.ts';
import { asRecord } from './untrusted-json.ts';

/**
 * Copies envelopes to the operator's own Sentry, when `SENTRY_DSN` names one. The address comes from there alone: an
 * envelope that names a destination is a stranger's text (CVE-2023-46729 was such a tunnel), and a redirect is one
 * more, so none is followed. Nothing of the visitor's request goes along, neither headers nor address.
 *
 * It is a copy: the store already has the report. So one that cannot be delivered is a log line, not a retry.
 */
const timeoutMs = 10_000;
/** A slow Sentry must not pile up bodies of a megabyte here; the SDK allows itself 64 at once. */
const inFlightLimit = 16;
/** What the SDKs wait when a 429 does not say how long. */
const defaultPauseMs = 60_000;
/** A pause longer than an hour is more likely a mistake than a wish. */
const longestPauseMs = 3_600_000;

let inFlight = 0;
let pausedUntil = 0;

/** The envelope with its header made out to `dsn`. The SDKs here are set up with the address of this app. */
function readdress(bytes: Uint8Array, dsn: Dsn): Uint8Array {
  const envelope = parseEnvelope(bytes);
  if (envelope.status === 'malformed') throw new Error('only an envelope that was ingested can be forwarded');
  const { dsn: _, trace, ...header } = envelope.header;
  const known = asRecord(trace);
  const line = JSON.stringify({ ...header, ...(known ? { trace: { ...known, public_key: dsn.publicKey } } : {}) });
  const lineEnd = bytes.indexOf(0x0a);
  const items = lineEnd === -1 ? new Uint8Array() : bytes.subarray(lineEnd);
  return Buffer.concat([Buffer.from(line), items]);
}

function readPause(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, longestPauseMs) : defaultPauseMs;
}

async function send(bytes: Uint8Array, dsn: Dsn): Promise<void> {
  const response = await fetch(dsn.endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-sentry-envelope',
      'x-sentry-auth': `Sentry sentry_version=7, sentry_client=flight-recorder, sentry_key=${dsn.publicKey}`,
    },
    body: new Uint8Array(readdress(bytes, dsn)),
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
  await response.body?.cancel();
  if (response.status === 429) pausedUntil = performance.now() + readPause(response);
  if (!response.ok) throw new Error(`answered ${response.status}`);
}

/**
 * Sends a copy of an ingested envelope, without waiting for it. Does nothing without `SENTRY_DSN`.
 * @throws when `SENTRY_DSN` is no DSN
 */
export function forwardEnvelope(bytes: Uint8Array): void {
  const dsn = readConfiguredDsn();
  if (!dsn || performance.now() < pausedUntil) return;
  if (inFlight >= inFlightLimit) {
    writeLog('warn', 'report-not-forwarded', { reason: 'too many are under way' });
    return;
  }
  inFlight += 1;
  send(bytes, dsn)
    .catch((error: unknown) => {
      const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
      const reason = `${describeError(error)}${cause}`;
      writeLog('warn', 'report-not-forwarded', { reason });
    })
    .finally(() => {
      inFlight -= 1;
    });
}
