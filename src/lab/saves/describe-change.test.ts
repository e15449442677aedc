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
  caught: undefined,
  waits: [],
  untyped: 0,
};

function save(measure: Partial<FlightMeasure> = {}, waits: MeasuredSave['waits'] = []): MeasuredSave {
  return { measure: { ...plain, ...measure }, waits };
}

type Wait = FlightMeasure['waits'][number];

function renderings(name: string, ...ms: readonly number[]): MeasuredSave['waits'] {
  return timed({ name }, ...ms);
}

function timed({ name = 'Suspense', how = 'waits' }: Partial<Wait>, ...ms: readonly number[]): MeasuredSave['waits'] {
  return ms.map((wait) => [{ name, how, ms: wait }]);
}

it('says of nothing that it is the same but of what was compared', () => {
  expect(describeChange(save(), save({ leftOut: 12 }))).toBe('The same number of bytes');
  const waited = save({}, renderings('Suspense', 300, 310, 304));
  expect(describeChange(waited, waited)).toBe('The same number of bytes, the same waits (Suspense)');
  // Timed, and nothing waited, or nothing that has a time.
  expect(describeChange(save({}, [[], [], []]), save({}, [[], [], []]))).toBe('The same number of bytes');
  expect(describeChange(save(), waited)).toBe('The same number of bytes');
  expect(describeChange(waited, save())).toBe('The same number of bytes');
  // It waited, and was saved again before it was timed.
  const untimed = save({ waits: [{ name: 'Suspense', ms: 600, how: 'waits' }] });
  expect(describeChange(untimed, waited)).toBe(
    'The same number of bytes, waits not compared: the save before was not timed',
  );
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
    'The same number of bytes, Suspense 2 within its noise of 42 ms',
  );
  // 600 to 400 ms on a busy machine.
  expect(
    describeChange(save({}, renderings('Suspense', 601, 602, 830)), save({}, renderings('Suspense', 401, 402, 403))),
  ).toBe('The same number of bytes, Suspense within its noise of 229 ms');
  expect(
    describeChange(
      save({}, renderings('Suspense 2', 300, 345, 304)),
      save({}, renderings('Suspense 2', 264, 264, 264)),
    ),
  ).toBe('The same number of bytes, Suspense 2 within its noise of 45 ms');
});

it('tells a promise that comes later, or earlier', () => {
  const [promise, late] = [{ name: 'the promise "late"', how: 'comes' } as const, 1504];
  const [early, after] = [save({}, timed(promise, 300, 310, 304)), save({}, timed(promise, late, late, late))];
  expect(describeChange(early, after)).toBe('the promise "late" comes 1.2 s later');
  expect(describeChange(after, early)).toBe('the promise "late" comes 1.2 s earlier');
});

it('says that a wait may be another where client code stands between', () => {
  const [before, after] = [timed({}, 300, 310, 304), timed({ how: 'may-wait' }, 264, 264, 264)];
  expect(describeChange(save({}, before), save({}, after))).toBe('Suspense may wait 40 ms less');
  expect(describeChange(save({}, after), save({}, before))).toBe('Suspense may wait 40 ms more');
});

it('takes a few milliseconds for noise, however alike the renderings are', () => {
  const before = save({}, renderings('Suspense', 300, 300, 300));
  expect(describeChange(before, save({}, renderings('Suspense', 305, 305, 305)))).toBe(
    'The same number of bytes, the same waits (Suspense)',
  );
  expect(describeChange(before, save({}, renderings('Suspense', 306, 306, 306)))).toBe('Suspense waits 6 ms more');
});

it('compares no time of which there are too few, or of a boundary that is not there each time', () => {
  const before = save({}, renderings('Suspense', 300, 300, 300));
  expect(describeChange(before, save({}, renderings('Suspense', 100, 100)))).toBe('The same number of bytes');
  expect(describeChange(before, save({}, [...renderings('Suspense', 100, 100, 100), []]))).toBe(
    'The same number of bytes, not compared: Suspense',
  );
  expect(describeChange(before, save({}, renderings('Suspense 2', 100, 100, 100)))).toBe(
    'The same number of bytes, not compared: Suspense, Suspense 2',
  );
});

it('takes the middle of an even number of renderings', () => {
  const before = save({}, renderings('Suspense', 100, 102, 104, 106));
  expect(describeChange(before, save({}, renderings('Suspense', 120, 122, 124, 126)))).toBe(
    'Suspense waits 20 ms more',
  );
});
