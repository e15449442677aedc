import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import type { StoredCounts as Counts } from '#src/reports/incident.ts';

import { StoredCounts } from './stored-counts.tsx';

const now = Date.UTC(2026, 10, 21, 12);
const counts: Counts = {
  errors: 1_200,
  browserReports: 3,
  outcomes: [],
  unstoredErrors: 0,
  oldestTime: now,
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
