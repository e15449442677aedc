import { describe, expect, it } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { storeError, storeUntrusted, useStore } from '../grouping/testing/use-store.ts';
import { findErrorDetails, findErrorDetailsById } from './find-error-details.ts';

useOperator();
useStore();

const noon = Date.UTC(2026, 10, 23, 12);
const digest = '2338734591';
const [mine, other] = ['a'.repeat(32), 'b'.repeat(32)];

function crumb(message: string): string {
  return JSON.stringify([{ time: noon, category: 'ui.click', level: 'info', message, data: {} }]);
}

async function storeBoth(): Promise<void> {
  await storeError({ id: 'server', digest, time: noon, received_at: noon, trace_id: mine });
  const at = { received_at: noon + 1_000, digest };
  await storeUntrusted({ ...at, id: 'mine', trace_id: mine, breadcrumbs_json: crumb('mine') });
  await storeUntrusted({ ...at, id: 'other', trace_id: other, breadcrumbs_json: crumb('other') });
  await storeUntrusted({ ...at, id: 'traceless', breadcrumbs_json: crumb('traceless') });
}

function listKeys(browserErrors: readonly { readonly eventId: string }[] | undefined): string[] {
  return (browserErrors ?? []).map(({ eventId }) => eventId);
}

describe('a digest that many visitors have', () => {
  it('joins what a browser says by the trace, and nothing of another trace', async () => {
    await storeBoth();
    const details = await findErrorDetails(digest, 'shop');
    expect(listKeys(details?.browser)).toEqual(['mine']);
    expect(listKeys(details?.maybe)).toEqual(['traceless']);
    expect(details?.breadcrumbs.map(({ message }) => message)).toEqual(['mine']);
    expect(listKeys((await findErrorDetailsById('server'))?.browser)).toEqual(['mine']);
  });

  it('finds that one among any number of others', async () => {
    await storeError({ id: 'server', digest, time: noon, received_at: noon, trace_id: mine });
    for (let index = 0; index < 30; index += 1) {
      await storeUntrusted({ id: `e${index}`, digest, received_at: noon + index, trace_id: other });
    }
    await storeUntrusted({ id: 'mine', digest, received_at: noon + 500, trace_id: mine });
    expect(listKeys((await findErrorDetails(digest, 'shop'))?.browser)).toEqual(['mine']);
  });

  it('is sure of nothing where the server named no trace', async () => {
    await storeError({ id: 'server', digest, time: noon, received_at: noon });
    await storeUntrusted({ id: 'one', digest, received_at: noon + 1_000, trace_id: other });
    await storeUntrusted({ id: 'hours later', digest, received_at: noon + 7_200_000, trace_id: other });
    const details = await findErrorDetails(digest, 'shop');
    expect([listKeys(details?.browser), listKeys(details?.maybe)]).toEqual([[], ['one']]);
    expect(details?.breadcrumbs).toEqual([]);
  });

  it('is of so many errors as were told, without what is said of answers that nobody explained', async () => {
    await storeError({ id: 'answer', digest, time: noon, received_at: noon, phase: 'answer', name: 'HTTP 500' });
    expect((await findErrorDetails(digest, 'shop'))?.withDigest).toBe(1);
    for (const id of ['one', 'two']) await storeError({ id, digest, time: noon, received_at: noon + 1 });
    expect((await findErrorDetails(digest, 'shop'))?.withDigest).toBe(2);
  });

  it('that only browsers told: the first, and who shares its trace', async () => {
    for (const [id, trace_id] of [
      ['first', mine],
      ['other', other],
      ['again', mine],
      ['traceless', ''],
    ] as const) {
      await storeUntrusted({ id, digest, received_at: noon, trace_id, breadcrumbs_json: crumb(id) });
    }
    const details = await findErrorDetails(digest, 'shop');
    expect(new Set([...listKeys(details?.browser), ...listKeys(details?.maybe)]).size).toBe(4);
    const traces = details?.browser.map(({ traceId }) => traceId);
    expect(new Set(traces).size).toBe(1);
    expect(details?.breadcrumbs).toHaveLength(details?.browser.length ?? 0);
  });
});

describe('a digest that names one error', () => {
  it('joins what browsers say, whatever their trace', async () => {
    await storeError({ id: 'server', digest: '3F7K2M9QRT', time: noon, received_at: noon, trace_id: mine });
    for (const [id, trace_id] of [
      ['same', mine],
      ['moved on', other],
    ] as const) {
      await storeUntrusted({ id, digest: '3F7K2M9QRT', received_at: noon, trace_id });
    }
    const details = await findErrorDetails('3F7K2M9QRT', 'shop');
    expect(new Set(listKeys(details?.browser))).toEqual(new Set(['same', 'moved on']));
    expect(details?.maybe).toEqual([]);
  });

  it('takes no untrusted error with another digest of the same trace', async () => {
    await storeError({ id: 'server', digest: '3F7K2M9QRT', time: noon, received_at: noon, trace_id: mine });
    await storeUntrusted({ id: 'another error', digest: 'AAAAAAAAAA', received_at: noon, trace_id: mine });
    await storeUntrusted({ id: 'no digest', received_at: noon, trace_id: mine });
    expect(listKeys((await findErrorDetails('3F7K2M9QRT', 'shop'))?.browser)).toEqual(['no digest']);
  });
});
