import * as v from 'valibot';

import { levels, phases, sides, spans, states } from '#src/faults/interface/faults/fault-query.ts';
import { kinds } from '#src/flights/interface/flight-query.ts';
import { askedTimePattern } from '#src/faults/digests/asked-time.ts';
import { searchField } from '#src/ui/search-field.ts';

import type { Parameter } from './parameters.ts';

/**
 * The parameters of the lists. They are those of the pages, by the same names: what stands behind `?` in the address of a list of
 * faults or flights can be asked for here.
 */

/** A page of the interface has 50. More than twice that is a walk through everything, and that has cursors. */
const longestPage = 100;
export const usualPage = 50;
const longestValue = 200;

function text(longest: number, what: string) {
  return v.pipe(
    v.string(),
    v.nonEmpty(`It is empty.`),
    v.maxLength(longest, `${what} has at most ${longest} characters.`),
  );
}

function oneOf<const Words extends readonly string[]>(words: Words) {
  return v.picklist(words, `It must be one of: ${words.join(', ')}.`);
}

function whole(least: number, most: number) {
  const message = `It must be a whole number from ${least} to ${most}.`;
  return v.pipe(v.number(message), v.integer(message), v.minValue(least, message), v.maxValue(most, message));
}

function place(pattern: RegExp) {
  return v.pipe(v.string(), v.regex(pattern, 'It must be one that an answer named in `next` or `previous`.'));
}

export const appParameter: Parameter = {
  name: 'app',
  description: 'Of one app: its id. A token that is for several apps and not for all has to name one.',
  schema: v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,40}$/, 'It is not the id of an app.')),
  reads: 'text',
};

/** Of a digest that names several errors. */
export const choosingParameters: readonly Parameter[] = [
  {
    name: 'at',
    description:
      'About when it was, where the digest names several errors: `2026-11-23T15:04`, with seconds or without, in UTC where it names no zone. A minute stands for all of it.',
    schema: v.pipe(
      v.string(),
      v.regex(askedTimePattern, 'It must be a time such as 2026-11-23T15:04, with seconds or without.'),
    ),
    reads: 'text',
  },
  {
    name: 'path',
    description: 'On which page, where the digest names several errors: its path, or its address.',
    schema: text(1_000, 'It'),
    reads: 'text',
  },
];

const limit: Parameter = {
  name: 'limit',
  description: `How many at most; ${usualPage} where it is not said.`,
  schema: whole(1, longestPage),
  reads: 'integer',
};

const cursor = place(/^\d{1,15}\.[\da-z]{1,40}$/);

export const faultParameters: readonly Parameter[] = [
  appParameter,
  {
    name: searchField,
    description: 'Words of an error, or the id of a trace. All states are searched unless `state` says one.',
    schema: text(1_000, 'It'),
    reads: 'text',
  },
  { name: 'state', description: '`open` where it is not said.', schema: oneOf(states), reads: 'text' },
  {
    name: 'side',
    description:
      'Where it is not said: faults of servers, and those that only browsers report where no server’s matches.',
    schema: oneOf(sides),
    reads: 'text',
  },
  { name: 'level', description: 'Of the latest error.', schema: oneOf(levels), reads: 'text' },
  {
    name: 'since',
    description: 'Those of which an error was received in this time.',
    schema: oneOf(Object.keys(spans)),
    reads: 'text',
  },
  { name: 'release', description: 'Those that occurred in it.', schema: text(longestValue, 'It'), reads: 'text' },
  {
    name: 'first-release',
    description: 'Those that were first seen in it.',
    schema: text(longestValue, 'It'),
    reads: 'text',
  },
  { name: 'environment', description: 'Those that occurred in it.', schema: text(longestValue, 'It'), reads: 'text' },
  { name: 'phase', description: '`browser` for what browsers reported.', schema: oneOf(phases), reads: 'text' },
  {
    name: 'route',
    description: 'A part of a route or a path; in double quotes the whole of one.',
    schema: text(longestValue, 'It'),
    reads: 'text',
  },
  {
    name: 'sort',
    description: 'The latest, the newest, the most frequent first, or that of the most users.',
    schema: oneOf(['last', 'first', 'count', 'users']),
    reads: 'text',
  },
  { name: 'spark', description: 'How far `recent` goes back.', schema: oneOf(['24h', '14d']), reads: 'text' },
  { name: 'after', description: 'Where the page begins.', schema: cursor, reads: 'text' },
  { name: 'before', description: 'Where the page ends.', schema: cursor, reads: 'text' },
  limit,
];

export const flightParameters: readonly Parameter[] = [
  appParameter,
  {
    name: 'own',
    description:
      '`1` for flights of this server itself, too, which a list of all apps leaves out where there are others.',
    schema: oneOf(['1']),
    reads: 'text',
  },
  { name: 'kind', description: 'It may be there more than once.', schema: oneOf(kinds), reads: 'list' },
  {
    name: 'route',
    description: 'A part of a route or a path; in double quotes the whole of one.',
    schema: text(300, 'It'),
    reads: 'text',
  },
  {
    name: 'status',
    description: 'The first digit; `failed` for those with a digest, with 500 or more, or that broke off.',
    schema: oneOf(['2', '3', '4', '5', 'failed']),
    reads: 'text',
  },
  { name: 'build', description: 'Those of the build with this id.', schema: text(300, 'It'), reads: 'text' },
  { name: 'digest', description: 'Those that carried it.', schema: text(300, 'It'), reads: 'text' },
  { name: 'slow', description: 'Slower than so many milliseconds.', schema: whole(1, 3_600_000), reads: 'integer' },
  { name: 'large', description: 'With more bytes of Flight.', schema: whole(1, 100_000_000), reads: 'integer' },
  {
    name: 'sort',
    description: 'Of another order than that of time, only the latest flights are put in order.',
    schema: oneOf(['time', 'flight', 'response', 'transferred', 'duration', 'status']),
    reads: 'text',
  },
  { name: 'dir', description: '`desc` where it is not said.', schema: oneOf(['asc', 'desc']), reads: 'text' },
  {
    name: 'before',
    description: 'The list begins below this id.',
    schema: whole(1, Number('9'.repeat(15))),
    reads: 'integer',
  },
  {
    name: 'skip',
    description: 'Of a list that is sorted: how many come before.',
    schema: whole(1, 99_999),
    reads: 'integer',
  },
  limit,
];

const filters = ['app', 'own', 'kind', 'route', 'status', 'build', 'slow', 'large'];

export const routeParameters: readonly Parameter[] = flightParameters.filter(({ name }) => filters.includes(name));
