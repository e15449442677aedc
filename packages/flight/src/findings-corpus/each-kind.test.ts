import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { analyzeFlight } from '../analysis.ts';
import { decodeFlight } from '../decode-flight.ts';
import type { FindingKind } from '../finding.ts';
import { base64, labelsTwice, modules, shared } from '../testing/findings-corpus/pages.ts';
import { renderWithReact, type Page } from '../testing/findings-corpus/render-with-react.ts';

/**
 * Each kind of finding, with a payload that was sent and has it, and one beside it that must not have it. A file is what a server
 * answered (with the times of its pieces where there is a `.times.json`), a page is rendered here by React's own server. A kind
 * without both is an error of types.
 *
 * `waku-1.0.0-rc.1-lab` has experiments of our lab, as the built server sent them. Two were cut: by a reader that stopped in a row, and by
 * one that stopped between two. One was saved as text.
 */
type Payload = string | Page;
type Samples = { readonly fires: Payload; readonly not: Payload };

const lab = 'waku-1.0.0-rc.1-lab';

const samples: Record<FindingKind, Samples> = {
  malformed: { fires: `${lab}/binary-prop-as-text.flight`, not: `${lab}/binary-prop.flight` },
  truncated: { fires: `${lab}/cut-in-a-row.flight`, not: `${lab}/cut-between-rows.flight` },
  halted: { fires: `${lab}/cut-between-rows.flight`, not: 'next-16.4.6-cache-components/heavy-prefetch.rsc' },
  aborted: { fires: 'react-19.3.1-production/aborted.flight', not: 'react-19.3.1-production/errors.flight' },
  error: { fires: 'waku-1.0.0-rc.1-production/boom-rsc.flight', not: 'react-19.3.1-production/aborted.flight' },
  secret: { fires: showKey('9aKq3LmZ7xTb2VwRc8YpJd4N'), not: showKey('XXXXXXXXXXXXXXXXXXXXXXXX') },
  development: { fires: 'next-16.4.6-development/shop.rsc', not: 'next-16.4.6-cache-components/about.rsc' },
  wait: { fires: `${lab}/streaming.flight`, not: `${lab}/promise-prop.flight` },
  promise: { fires: `${lab}/promise-prop.flight`, not: `${lab}/promise-value.flight` },
  'sent-twice': { fires: labelsTwice, not: `${lab}/duplicates.flight` },
  'large-prop': { fires: `${lab}/binary-prop.flight`, not: `${lab}/props-all.flight` },
  'chunk-names': { fires: modules, not: shared },
  base64: { fires: base64, not: `${lab}/binary-prop.flight` },
};

/** Put together here, so that whoever looks for keys in repositories finds none. */
function showKey(key: string): Page {
  return ({ h, client }) => h(client('Checkout'), { config: { key: `${'sk_live'}_${key}` } });
}

type Chunk = { ms: number; bytes: number };

function readFixture(file: string): { bytes: Uint8Array; chunks: Chunk[] } {
  const whole = path.join(import.meta.dirname, '../../fixtures', file);
  const times = whole.replace(/\.\w+$/, '.times.json');
  const chunks: Chunk[] = existsSync(times) ? JSON.parse(readFileSync(times, 'utf8')) : [];
  return { bytes: new Uint8Array(readFileSync(whole)), chunks };
}

async function listKinds(payload: Payload): Promise<FindingKind[]> {
  const { bytes, chunks } = typeof payload === 'string' ? readFixture(payload) : await renderWithReact(payload);
  return analyzeFlight(decodeFlight(bytes), { chunks }).findings.map(({ kind }) => kind);
}

describe.each(Object.entries(samples))('%s', (kind, { fires, not }) => {
  test('is found where it is', async () => {
    expect(await listKinds(fires)).toContain(kind);
  });

  test('is not found beside it', async () => {
    expect(await listKinds(not)).not.toContain(kind);
  });
});
