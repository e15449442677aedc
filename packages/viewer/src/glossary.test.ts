import { expect, it } from 'vitest';

import { glossary } from './glossary.ts';

it('is short enough to be read: at most fifteen words, each in at most fifteen', () => {
  const entries = Object.entries(glossary);
  expect(entries.length).toBeLessThanOrEqual(15);
  expect(entries.filter(([, says]) => says.split(/\s+/).length > 15)).toEqual([]);
});
