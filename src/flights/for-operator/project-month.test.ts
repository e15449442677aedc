import { expect, it } from 'vitest';

import { projectMonth } from './project-month.ts';

const minute = 60_000;
/** A thousand a minute, for ten minutes. */
const storm = { requests: 10_000, sized: 10_000, bytes: 50_000_000, first_at: 0, last_at: 10 * minute };
const none = { ofMillion: undefined, ofGigabyte: undefined };
const requests = 1_000 * 60 * 24 * 30;

it('goes on for thirty days as it was', () => {
  expect(projectMonth(storm, none)).toEqual({ requests, bytes: requests * 5_000, price: undefined });
  expect(projectMonth({ ...storm, last_at: 1_000, requests: 1_000 }, none)).toMatchObject({ requests });
});

it('takes for all what is known of some', () => {
  expect(projectMonth({ ...storm, sized: 100, bytes: 500_000 }, none)).toMatchObject({ bytes: requests * 5_000 });
  expect(projectMonth({ ...storm, sized: 0, bytes: 0 }, none)).toMatchObject({ bytes: undefined });
});

it('costs what is set, and says nothing where a size is missing that has a price', () => {
  expect(projectMonth(storm, { ofMillion: 2, ofGigabyte: undefined }).price).toBeCloseTo(86.4);
  expect(projectMonth(storm, { ofMillion: 2, ofGigabyte: 0.1 }).price).toBeCloseTo(86.4 + 21.6);
  expect(projectMonth({ ...storm, sized: 0 }, { ofMillion: 2, ofGigabyte: 0.1 }).price).toBeUndefined();
  expect(projectMonth({ ...storm, sized: 0 }, { ofMillion: 2, ofGigabyte: undefined }).price).toBeCloseTo(86.4);
});
