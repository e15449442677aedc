import { beforeEach, expect, it } from 'vitest';

import { createAppointments } from './appointments.ts';

let told: string[];

function open() {
  return createAppointments((worker, name) => void told.push(`${worker} ${name}`));
}

beforeEach(() => void (told = []));

it('appoints the first that asks, for each name', () => {
  const appointments = open();
  appointments.want(1, 'retention');
  appointments.want(2, 'retention');
  appointments.want(2, 'alerts');
  appointments.want(1, 'retention');
  expect(told).toEqual(['1 retention', '2 alerts']);
});

it('appoints the next one when the first gives it back or ends', () => {
  const appointments = open();
  for (const worker of [1, 2, 3]) appointments.want(worker, 'retention');
  appointments.want(1, 'alerts');
  appointments.giveBack(1, 'retention');
  expect(told).toEqual(['1 retention', '1 alerts', '2 retention']);
  appointments.forget(2);
  expect(told.at(-1)).toBe('3 retention');
  appointments.forget(3);
  appointments.want(1, 'retention');
  expect(told).toHaveLength(5);
  expect(told.at(-1)).toBe('1 retention');
});

it('tells nobody when one ends that only waited', () => {
  const appointments = open();
  for (const worker of [1, 2, 3]) appointments.want(worker, 'retention');
  appointments.forget(2);
  appointments.giveBack(3, 'alerts');
  expect(told).toEqual(['1 retention']);
  appointments.forget(1);
  expect(told).toEqual(['1 retention', '3 retention']);
});
