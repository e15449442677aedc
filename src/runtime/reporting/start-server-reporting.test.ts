import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { reportError } from '../errors/report-error.ts';
import type { RequestContext } from '#src/server/http/request-context.ts';
import { makeRequest } from '#src/server/http/testing/make-request.ts';
import { localDsn } from './local-dsn.ts';
import { startServerReporting } from './start-server-reporting.ts';

beforeEach(() => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});

afterEach(() => vi.restoreAllMocks());

function createRequest(): RequestContext {
  return makeRequest({
    id: 'a'.repeat(32),
    kind: 'navigation',
    path: '/orders',
    traceId: 'b'.repeat(32),
    breadcrumbs: [{ type: 'render-began', time: 1000 }],
  });
}

/** The event in an envelope: its third line. */
function readEvent(envelope: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(envelope).split('\n')[2] ?? '');
}

/** An error is kept in the next turn, and completed in the one after. */
async function nextTurns(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('startServerReporting', () => {
  it('hands over an envelope with the digest, the trace, the breadcrumbs, the cause and the source', async () => {
    const envelopes: Uint8Array[] = [];
    const stop = startServerReporting({
      dsn: localDsn,
      release: 'build-1',
      forward: (envelope) => void envelopes.push(envelope),
    });
    const digest = reportError(new Error('outer', { cause: new TypeError('inner') }), 'rsc', {
      request: createRequest(),
    });
    await nextTurns();
    await stop();
    expect(envelopes.length).toBe(1);
    const event = readEvent(envelopes[0] ?? new Uint8Array());
    expect(event).toMatchObject({
      release: 'build-1',
      transaction: '/orders',
      tags: { digest, phase: 'rsc', kind: 'navigation', request_id: 'a'.repeat(32) },
      contexts: { trace: { trace_id: 'b'.repeat(32) } },
      breadcrumbs: [
        { timestamp: 0, message: 'GET /orders (navigation)' },
        { timestamp: 1, message: 'Rendering began' },
      ],
      exception: {
        values: [
          { type: 'TypeError', value: 'inner' },
          { type: 'Error', value: 'outer' },
        ],
      },
    });
    expect(JSON.stringify(event)).toContain('start-server-reporting.test.ts');
    expect(JSON.stringify(event)).not.toMatch(/"(?:server_name|user|cookies|headers)"/);
  });
});
