import { expect, it } from 'vitest';

import { describeChange, type MeasuredSave } from './describe-change.ts';
import type { FlightMeasure } from './measure-flight.ts';

const plain: FlightMeasure = {
  bytes: 1000,
  gzip: 400,
  rows: 5,
  leftOut: 9000,
  modules: ['Link'],
  repeated: 0,
  text: 100,
  errors: 0,
  waits: [],
  untyped: 0,
};

function save(measure: Partial<FlightMeasure> = {}, waits: MeasuredSave['waits'] = []): MeasuredSave {
  return { measure: { ...plain, ...measure }, waits };
}

function renderings(name: string, ...ms: readonly number[]): MeasuredSave['waits'] {
  return ms.map((wait) => [{ name, ms: wait }]);
}

it('says of nothing that it is the same but of what was compared', () => {
  expect(describeChange(save(), save({ leftOut: 12 }))).toBe('The same number of bytes');
  const timed = save({}, renderings('Suspense', 300, 310, 304));
  expect(describeChange(timed, timed)).toBe('The same number of bytes, the same waits');
  expect(describeChange(save(), timed)).toBe('The same number of bytes');
  expect(describeChange(timed, save())).toBe('The same number of bytes');
});

it('says what changed, bytes first', () => {
  const after = save({
    bytes: 1312,
    gzip: 498,
    rows: 6,
    modules: ['Link', 'Counter'],
    text: 40,
    repeated: 90,
    errors: 1,
  });
  expect(describeChange(save(), after)).toBe(
    '+312 B (+98 B with gzip), one client module more (Counter), one row more, −60 B of text, +90 B sent again, one error more',
  );
  expect(describeChange(after, save())).toBe(
    '−312 B (−98 B with gzip), one client module less (Counter), one row less, +60 B of text, −90 B sent again, one error less',
  );
});

it('counts modules with one name one by one, and names three', () => {
  const after = save({ modules: ['Link', 'Link', 'A', 'B', 'C'] });
  expect(describeChange(save(), after)).toBe('four client modules more (Link, A, B, …)');
});

it('tells a wait that changed by more than the renderings of one save differ by', () => {
  const before = save({}, renderings('Suspense 2', 300, 310, 304));
  expect(describeChange(before, save({}, renderings('Suspense 2', 262, 264, 266)))).toBe('Suspense 2 waits 40 ms less');
  expect(describeChange(before, save({}, renderings('Suspense 2', 344, 340, 350)))).toBe('Suspense 2 waits 40 ms more');
  // The spread of one of the two is as large as the difference.
  expect(describeChange(before, save({}, renderings('Suspense 2', 250, 264, 292)))).toBe(
    'The same number of bytes, the same waits',
  );
  expect(
    describeChange(
      save({}, renderings('Suspense 2', 300, 345, 304)),
      save({}, renderings('Suspense 2', 264, 264, 264)),
    ),
  ).toBe('The same number of bytes, the same waits');
});

it('tells a promise that comes later, or earlier', () => {
  const [early, late] = [save({}, renderings('the promise "late"', 300, 310, 304)), 1504];
  const after = save({}, renderings('the promise "late"', late, late, late));
  expect(describeChange(early, after)).toBe('the promise "late" comes 1.2 s later');
  expect(describeChange(after, early)).toBe('the promise "late" comes 1.2 s earlier');
});

it('takes a few milliseconds for noise, however alike the renderings are', () => {
  const before = save({}, renderings('Suspense', 300, 300, 300));
  expect(describeChange(before, save({}, renderings('Suspense', 305, 305, 305)))).toBe(
    'The same number of bytes, the same waits',
  );
  expect(describeChange(before, save({}, renderings('Suspense', 306, 306, 306)))).toBe('Suspense waits 6 ms more');
});

it('compares no time of which there are too few, or of a boundary that is not there each time', () => {
  const before = save({}, renderings('Suspense', 300, 300, 300));
  expect(describeChange(before, save({}, renderings('Suspense', 100, 100)))).toBe('The same number of bytes');
  expect(describeChange(before, save({}, [...renderings('Suspense', 100, 100, 100), []]))).toBe(
    'The same number of bytes, the same waits',
  );
  expect(describeChange(before, save({}, renderings('Suspense 2', 100, 100, 100)))).toBe(
    'The same number of bytes, the same waits',
  );
});

it('takes the middle of an even number of renderings', () => {
  const before = save({}, renderings('Suspense', 100, 102, 104, 106));
  expect(describeChange(before, save({}, renderings('Suspense', 120, 122, 124, 126)))).toBe(
    'Suspense waits 20 ms more',
  );
});
