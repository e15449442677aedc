import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { openStore } from '#src/store/open-store.ts';
import type { NewEvent } from '#src/store/schema.ts';

import { addFeedback, type NewFeedback } from './add-feedback.ts';
import { listFeedback } from './list-feedback.ts';

/** These tests are about what is kept. src/faults/kept/queries-guard.test.ts tests who may read it. */
useOperator();

let folder: string;
const noon = Date.UTC(2026, 10, 20, 12);
const digest = '3F7K2M9QRT';
const eventId = '9ec79c33ec9942ab8353589fcb2e04dc';
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-feedback-'));
  process.env['FLIGHT_DATA'] = folder;
});

afterEach(async () => {
  delete process.env['FLIGHT_DATA'];
  for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
  rmSync(folder, { recursive: true });
});

async function addError(row: Partial<NewEvent>): Promise<void> {
  const { db } = await openStore();
  const request = { method: 'GET', path: '/', request_id: '', trace_id: '' };
  const texts = { ...request, fingerprint: 'f', release: '', name: '', message: '', stack: '' };
  await db
    .insertInto('event')
    .values({
      id: 'e',
      side: 'server',
      digest,
      time: noon,
      received_at: noon,
      phase: 'rsc',
      kind: 'document',
      frames_json: '[]',
      causes_json: '[]',
      ...texts,
      ...row,
    })
    .execute();
}

async function addUntrusted(row: Partial<NewEvent>): Promise<void> {
  const { db } = await openStore();
  const values = {
    id: eventId,
    digest,
    side: 'browser',
    fingerprint: 'f',
    time: noon,
    received_at: noon,
  } as const;
  const texts = { name: '', message: '', path: '', frames_json: '[]', breadcrumbs_json: '[]' };
  await db
    .insertInto('event')
    .values({ ...values, ...texts, ...row })
    .execute();
}

async function write(given: Partial<NewFeedback>): Promise<void> {
  const { commit } = await openStore();
  const plain = {
    app: 'flight-recorder',
    source: 'error-page',
    name: '',
    email: '',
    path: '/',
    receivedAt: noon,
  } as const;
  await commit((trx) => addFeedback(trx, { ...plain, message: 'I pressed pay', ...given }));
}

/** Rows as they are stored. */
async function flood(app: string, fault: string, count: number): Promise<void> {
  const { db } = await openStore();
  const texts = { source: 'sdk', name: '', email: '', message: '', path: '' } as const;
  const rows = Array.from({ length: count }, (_, n) => ({
    ...texts,
    id: `0 ${fault} ${String(n).padStart(4, '0')}`,
    app,
    fault,
    received_at: noon,
    bytes: 0,
  }));
  await db.insertInto('feedback').values(rows).execute();
}

async function listTexts(fault: string): Promise<string[]> {
  return (await listFeedback({ fault })).items.map(({ message }) => message);
}

describe('feedback', () => {
  it('belongs to the fault of the error that it names, by event, digest or trace', async () => {
    await addError({ fault: 'cart', trace_id: traceId });
    await addUntrusted({ fault: 'click', digest: 'AAAAAAAAAA' });
    await write({ digest, message: 'by digest' });
    await write({ traceId, message: 'by trace' });
    await write({ eventId, message: 'by event' });
    await write({ digest: 'AAAAAAAAAA', message: 'by the digest of a report' });
    await write({ digest, app: 'shop', message: 'of another app' });
    expect((await listTexts('cart')).toSorted()).toEqual(['by digest', 'by trace']);
    expect((await listTexts('click')).toSorted()).toEqual(['by event', 'by the digest of a report']);
    expect(await listFeedback({ app: 'shop', digest })).toMatchObject({
      total: 1,
      items: [{ message: 'of another app' }],
    });
  });

  it('is what it was scrubbed and cut to', async () => {
    await write({
      digest,
      name: 'Ada ada@example.org',
      email: 'ada@example.org',
      path: 'https://shop.test/pay/ada@example.org?token=1',
      message: `password=hunter2, call ada@example.org ${'x'.repeat(5_000)}`,
      source: 'sdk',
    });
    const { db } = await openStore();
    const row = await db.selectFrom('feedback').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ name: 'Ada [email]', email: '[email]', path: '/pay/[email]', source: 'sdk' });
    expect(row.message).toMatch(/^password=\[Filtered\], call \[email\] x+$/);
    expect(Buffer.byteLength(row.message)).toBeLessThanOrEqual(4_096);
    expect(row.bytes).toBe(row.name.length + row.message.length + row.path.length);
    expect((await listFeedback({ app: 'flight-recorder', digest })).items[0]).toEqual({
      id: row.id,
      app: 'flight-recorder',
      source: 'sdk',
      digest,
      eventId: undefined,
      receivedAt: noon,
      name: row.name,
      message: row.message,
      path: row.path,
    });
  });

  it('is nothing without a text, and kept once when it is sent twice', async () => {
    await write({ digest, message: ' \n ' });
    await write({ digest });
    await write({ digest });
    await write({ digest, eventId });
    expect((await listFeedback({ app: 'flight-recorder', digest })).total).toBe(2);
  });

  it('waits for the error that it names, and is found when that is known', async () => {
    await write({ digest, message: 'early' });
    await write({ eventId, message: 'early too' });
    // An SDK gives out an id also for an event that it then drops as the same as the last one: only the trace is known.
    await write({ eventId: 'f'.repeat(32), traceId, message: 'early, of a dropped event' });
    expect(await listTexts('cart')).toEqual([]);
    await addError({ fault: 'cart', trace_id: traceId });
    await addUntrusted({ fault: 'cart', digest: null });
    expect((await listTexts('cart')).toSorted()).toEqual(
      ['early', 'early too', 'early, of a dropped event'].toSorted(),
    );
    await write({ digest: 'BBBBBBBBBB', message: 'of another' });
    const { db } = await openStore();
    await db.deleteFrom('event').where('side', '=', 'server').execute();
    await db.deleteFrom('event').where('side', '=', 'browser').execute();
    expect((await listTexts('cart')).toSorted()).toEqual(
      ['early', 'early too', 'early, of a dropped event'].toSorted(),
    );
  });

  it('is found under the fault that its own was merged into', async () => {
    await addError({ fault: 'cart' });
    await addError({ fault: 'basket', id: 'other', digest: 'BBBBBBBBBB' });
    await write({ digest });
    await write({ digest: 'BBBBBBBBBB', message: 'of the other' });
    expect(await listTexts('cart')).toEqual(['I pressed pay']);
    expect(await listTexts('basket')).toEqual(['of the other']);
    const { db } = await openStore();
    const texts = { name: '', message: '', culprit: '', first_release: '', last_release: '', state_json: '{}' };
    const times = { state_time: noon, first_time: noon, last_time: noon };
    const plain = { app: 'flight-recorder', side: 'server', level: 'error', state: 'open', unseen: null } as const;
    await db
      .insertInto('fault')
      .values({ id: 'cart', ...plain, ...texts, ...times, merged_into: 'basket' })
      .execute();
    expect((await listTexts('basket')).toSorted()).toEqual(['I pressed pay', 'of the other']);
  });

  it('about one fault pushes out neither what was written first nor what is about others', async () => {
    await addError({ fault: 'cart' });
    await addError({ fault: 'other', id: 'other', digest: 'BBBBBBBBBB' });
    await write({ digest: 'BBBBBBBBBB', message: 'about another' });
    for (let n = 0; n < 205; n += 1) await write({ digest, message: `text ${n}`, receivedAt: noon + n });
    const { db } = await openStore();
    const kept = await db
      .selectFrom('feedback')
      .select('message')
      .where('fault', '=', 'cart')
      .orderBy('received_at')
      .execute();
    const texts = kept.map(({ message }) => message);
    expect(texts).toHaveLength(200);
    expect(texts.slice(0, 50)).toEqual(Array.from({ length: 50 }, (_, n) => `text ${n}`));
    expect(texts.slice(50)).toEqual(Array.from({ length: 150 }, (_, n) => `text ${n + 55}`));
    expect(await listTexts('other')).toEqual(['about another']);
    expect(await listFeedback({ fault: 'cart' })).toMatchObject({ total: 200, items: { length: 20 } });
    expect((await listTexts('cart'))[0]).toBe('text 204');
  });

  it('about errors that nobody knows is kept for the latest two hundred', async () => {
    for (let n = 0; n < 203; n += 1) {
      await write({ digest: String(n).padStart(10, 'Z'), message: `text ${n}`, receivedAt: noon + n });
    }
    const { db } = await openStore();
    const kept = await db.selectFrom('feedback').select('message').orderBy('received_at').execute();
    expect(kept).toHaveLength(200);
    expect(kept[0]?.message).toBe('text 3');
    // Those of one app: what another's visitors wrote stays.
    await write({ app: 'blog', digest: 'ZZZZZZZZZZ', message: 'of the blog', receivedAt: noon - 1 });
    await write({ digest: 'Z'.repeat(9) + '9', message: 'one more', receivedAt: noon + 300 });
    const messages = (await db.selectFrom('feedback').select('message').execute()).map(({ message }) => message);
    expect([messages.length, messages.includes('of the blog'), messages.includes('text 3')]).toEqual([
      201,
      true,
      false,
    ]);
  });

  it('of one app takes no place of another’s, nor what is about browsers’ errors of what is about a server’s', async () => {
    const { db } = await openStore();
    await addError({ fault: 'own', app: 'shop' });
    await addError({ fault: 'blogs', id: 'blogs', digest: 'BBBBBBBBBB', app: 'blog' });
    for (const [id, app] of Object.entries({ own: 'shop', blogs: 'blog' })) {
      const texts = {
        name: '',
        message: '',
        culprit: '',
        level: 'error',
        first_release: '',
        last_release: '',
      } as const;
      const state = { state: 'open', state_json: '{}', state_time: 0, unseen: null, merged_into: null } as const;
      await db
        .insertInto('fault')
        .values({ id, app, side: 'server', first_time: 0, last_time: 0, ...texts, ...state })
        .execute();
    }
    await write({ app: 'blog', digest: 'BBBBBBBBBB', message: 'about the blog', receivedAt: noon - 2 });
    await write({ app: 'shop', digest, message: 'about the shop', receivedAt: noon - 1 });
    for (let fault = 0; fault < 20; fault += 1) await flood('shop', `browsers’ ${fault}`, fault === 0 ? 99 : 100);
    await write({ app: 'shop', digest: 'ZZZZZZZZZZ', message: 'the last' });
    expect([await listTexts('blogs'), await listTexts('own')]).toEqual([['about the blog'], ['about the shop']]);
    const left = await db.selectFrom('feedback').select('id').execute();
    expect(left).toHaveLength(2_000);
  });

  it('is joined through the indexes of digests and traces, however many errors its app has', async () => {
    const { db, engine } = await openStore();
    const prepared = vi.spyOn(DatabaseSync.prototype, 'prepare');
    await write({ digest: 'ZZZZZZZZZZ', traceId });
    await listFeedback({ fault: 'cart' });
    const texts = prepared.mock.calls.map(([text]) => text).filter((text) => /from event where/.test(text));
    prepared.mockRestore();
    if (engine === 'postgres') return;
    expect(texts.length).toBeGreaterThanOrEqual(2);
    for (const text of new Set(texts)) {
      const { rows } = await sql<{
        detail: string;
      }>`explain query plan ${sql.raw(text.replaceAll('?', "'x'"))}`.execute(db);
      const plan = rows.map(({ detail }) => detail).join('\n');
      for (const index of ['digest_told', 'digest_untrusted', 'trace_told', 'trace_untrusted']) {
        expect(plan).toMatch(new RegExp(`SEARCH event USING (COVERING )?INDEX event_${index} `));
      }
      expect(plan).not.toContain('INDEX event_app');
    }
  });

  it('takes two thousand rows at most', async () => {
    const { db } = await openStore();
    for (let fault = 0; fault < 11; fault += 1) await flood('flight-recorder', `f${fault}`, 190);
    await write({ digest, message: 'the last' });
    const { count } = await db
      .selectFrom('feedback')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    expect(count).toBe(2_000);
    expect((await listFeedback({ app: 'flight-recorder', digest })).items).toHaveLength(1);
  });
});
