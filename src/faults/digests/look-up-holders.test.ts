import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { type Compilable, sql } from 'kysely';
import { expect, it } from 'vitest';

import { openStore } from '#src/store/open-store.ts';

import { isUnder, selectEvents } from '../kept/select-events.ts';
import { holdersOfEvents, spelledOf, suffixedOf } from './look-up-holders.ts';

it('reads no row of a digest, and sorts none, to say which apps have it and what their latest is', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-holders-'));
  const { db, close } = await openStore(folder);
  async function plan(query: Compilable): Promise<readonly string[]> {
    const { sql: text, parameters } = query.compile();
    const values = parameters.map((value) => sql.lit(value));
    const parts = text
      .split('?')
      .flatMap((part, at) => [sql.raw(part), ...(at < values.length ? [values[at] ?? sql``] : [])]);
    const { rows } = await sql<{ detail: string }>`explain query plan ${sql.join(parts, sql``)}`.execute(db);
    return rows.map(({ detail }) => detail);
  }
  for (const side of ['server', 'browser'] as const) {
    const index = side === 'server' ? 'event_digest_told' : 'event_digest_untrusted';
    const time = side === 'server' ? 'time' : 'received_at';
    const latest = selectEvents(db, side).selectAll().where(isUnder('1', 'shop')).orderBy(time, 'desc').limit(1);
    for (const query of [
      // From one app to the next, and to its latest.
      { uses: /digest=\? AND app>\?[^]*digest=\? AND app=\?/, compile: () => holdersOfEvents(side, '1').compile(db) },
      { uses: /<expr>=\? AND side=\? AND app>\?/, compile: () => suffixedOf(side, '1').compile(db) },
      {
        uses: /<expr>=\? AND side=\? AND app>\?/,
        compile: () => spelledOf(side, { plain: 'CART99', capitals: undefined }).compile(db),
      },
      { uses: /digest=\? AND app=\?/, compile: () => latest.compile() },
    ]) {
      const details = await plan(query);
      const ofEvents = details.filter((detail) => / event\b/.test(detail));
      expect(ofEvents.length).toBeGreaterThan(0);
      const isIndexed = new RegExp(`SEARCH event USING .*INDEX (?:${index}|event_spelled|event_suffixed)`);
      for (const detail of ofEvents) expect(detail).toMatch(isIndexed);
      expect(details.join('\n')).toMatch(query.uses);
      expect(details.join('\n')).not.toContain('TEMP B-TREE FOR ORDER BY');
    }
  }
  await close();
  rmSync(folder, { recursive: true });
});
