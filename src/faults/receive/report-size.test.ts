import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { openStore } from '#src/store/open-store.ts';

import { ingestEnvelope } from './ingest-envelope.ts';
import { boundText } from './untrusted-json.ts';

const kibibyte = 1024;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-size-'));
  process.env['FLIGHT_DATA'] = folder;
});

afterEach(async () => {
  delete process.env['FLIGHT_DATA'];
  for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
  rmSync(folder, { recursive: true });
});

/** Relay's limit, which is ours; a little is left for the envelope. */
const eventBytes = 1_023 * kibibyte;

function countBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/**
 * The largest event whose texts all repeat `unit`. Every list is full, and the breadcrumbs' data takes the remaining
 * room.
 */
function createWorstEvent(unit: string): object {
  function fill(characters: number): string {
    return unit.repeat(characters / unit.length);
  }
  const frames = Array.from({ length: 50 }, () => ({
    function: fill(256),
    filename: fill(1_024),
    lineno: 1,
    colno: 1,
  }));
  const event = {
    exception: { values: [{ type: fill(256), value: fill(8_192), stacktrace: { frames } }] },
    request: { url: `/${fill(2_000)}`, headers: { 'User-Agent': fill(512) } },
    release: fill(200),
    contexts: { react: { componentStack: fill(8_192) } },
  };
  const perCrumb = Math.floor((eventBytes - countBytes(event)) / 100);
  const crumb = { timestamp: 1, category: fill(60), message: fill(240) };
  const data: Record<string, string> = {};
  for (let n = 10; n < 30; n += 1) {
    const next = { ...data, [`${n}${fill(40)}`]: fill(240) };
    if (countBytes({ ...crumb, data: next }) + 1 > perCrumb) break;
    Object.assign(data, next);
  }
  return { ...event, breadcrumbs: Array.from({ length: 100 }, (_, n) => ({ ...crumb, timestamp: 1 + n, data })) };
}

async function ingest(event: object): Promise<void> {
  const bytes = new TextEncoder().encode(`{}\n{"type":"event"}\n${JSON.stringify(event)}`);
  expect(bytes.length).toBeLessThan(1_024 * kibibyte);
  expect(await ingestEnvelope(bytes)).toMatchObject({ status: 'stored' });
}

const columns = [
  'name',
  'message',
  'path',
  'frames_json',
  'component_stack',
  'user_agent',
  'release',
  'breadcrumbs_json',
  'tags_json',
  'extra_json',
  'causes_json',
];

async function measureRow(): Promise<{ readonly stored: number; readonly counted: number; readonly crumbs: number }> {
  const sum = columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');
  const { rows } = await sql<{ stored: number; counted: number; breadcrumbs_json: string }>`
    select ${sql.raw(sum)} as stored, bytes as counted, breadcrumbs_json from event`.execute((await openStore()).db);
  const [row] = rows;
  if (!row) throw new Error('nothing was stored');
  const crumbs: unknown = JSON.parse(row.breadcrumbs_json);
  return { stored: row.stored, counted: row.counted, crumbs: Array.isArray(crumbs) ? crumbs.length : 0 };
}

const limits = { name: 256, message: 8_192, path: 2_048, user_agent: 512, release: 200, component_stack: 16_384 };

async function listTooLong(): Promise<string[]> {
  const { db } = await openStore();
  const lengths = Object.keys(limits).map((column) => `octet_length(${column}) as ${column}`);
  const { rows } = await sql<Record<string, number>>`select ${sql.raw(lengths.join(', '))} from event`.execute(db);
  return rows.flatMap((row) =>
    Object.entries(limits).flatMap(([column, limit]) => ((row[column] ?? 0) > limit ? column : [])),
  );
}

describe('a report whose every text is at its limit', () => {
  it.each([
    ['control characters', '\u0001'],
    ['quotes and backslashes', '"\\'],
    ['three bytes a character', '見'],
    ['four bytes a character', '🛩'],
    ['what grows when it is taken out', 'pwd=x;'],
    ['halves of characters', '\uD800'],
  ])('takes less than 150 KiB and says how much: %s', async (_, unit) => {
    await ingest(createWorstEvent(unit));
    const { stored, counted, crumbs } = await measureRow();
    expect(stored).toBeLessThan(150 * kibibyte);
    expect(counted).toBe(stored);
    expect(crumbs).toBeGreaterThan(4);
    expect(await listTooLong()).toEqual([]);
  });

  it('with one text of a megabyte of control characters', async () => {
    const text = '\u0001'.repeat(25_000);
    const frames = Array.from({ length: 2 }, () => ({ function: text, filename: text }));
    await ingest({ exception: { values: [{ type: text, value: text, stacktrace: { frames } }] } });
    expect((await measureRow()).stored).toBeLessThan(30 * kibibyte);
  });
});

describe('boundText', () => {
  it.each([
    ['plain', 3, 'pla'],
    ['"""', 5, '""'],
    ['a\n\t\r', 5, 'a\n\t'],
    ['ééé', 5, 'éé'],
    ['見見', 5, '見'],
    ['🛩🛩', 7, '🛩'],
    ['🛩🛩', 8, '🛩🛩'],
    ['\0\u009B', 6, '\uFFFD\uFFFD'],
    ['\u001B[31mred', 6, 'r'],
    ['\u001B[31', 5, '\uFFFD[3'],
  ])('of %j keeps what takes %d bytes in JSON', (text, limit, kept) => {
    expect(boundText(text, limit)).toBe(kept);
    expect(Buffer.byteLength(JSON.stringify(kept)) - 2).toBeLessThanOrEqual(limit);
  });
});
