import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import type { StoredCounts as Counts } from '#src/faults/kept/error-details.ts';

import { StoredCounts } from './stored-counts.tsx';

const now = Date.UTC(2026, 10, 21, 12);
const counts: Counts = {
  errors: 1_200,
  browserErrors: 3,
  outcomes: [],
  unstoredErrors: 0,
  oldestTime: now,
  database: 'PostgreSQL 18.1',
  databaseBytes: 8_192,
  waiting: undefined,
};

it('what is too old by a doubtful clock alone is shown, with when it goes', () => {
  const shown = renderToStaticMarkup(
    <StoredCounts counts={{ ...counts, waiting: { rows: 1_100, until: now } }} now={0} />,
  );
  expect(shown).toContain('Too old');
  expect(shown).toContain('2026-11-21 12:00:00 UTC <span');
  expect(renderToStaticMarkup(<StoredCounts counts={counts} now={now} />)).not.toContain('Too old');
});

it('names the database that is used', () => {
  expect(renderToStaticMarkup(<StoredCounts counts={counts} now={now} />)).toContain('>PostgreSQL 18.1, 8.19 kB<');
});

it('what was not kept is a number that leads to the list', () => {
  const outcome = { source: 'receiver', type: 'span', reason: 'not_kept', lastTime: now } as const;
  const outcomes = [{ ...outcome, count: 1_000 }, { ...outcome, source: 'client', count: 34 } as const];
  const shown = renderToStaticMarkup(<StoredCounts counts={{ ...counts, outcomes }} now={now} />);
  expect(shown).toMatch(/href="\/not-kept"[^>]*>1,034</);
});
