import { expect, it } from 'vitest';

import { createActivityId } from './activity-id.ts';

it('sorts in the order of writing', () => {
  const ids = Array.from({ length: 300 }, () => createActivityId());
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids.map((id) => id.slice(0, 16))).size).toBe(300);
});

it('comes after what a process with a later clock has written, within the same millisecond, too', () => {
  const anHourAhead = (Date.now() + 3_600_000).toString(16).padStart(12, '0');
  const latest = `${anHourAhead}0007ffff`;
  const next = createActivityId(latest);
  expect(next.slice(0, 16)).toBe(`${anHourAhead}0008`);
  expect(createActivityId(`${anHourAhead}00040000`) > next).toBe(true);
});
