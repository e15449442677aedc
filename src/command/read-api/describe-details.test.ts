import { expect, it } from 'vitest';

import type { ErrorAnswer } from '#src/api/schemas/errors.ts';

import { describeDetails, describeLookedUp } from './describe-details.ts';

const now = Date.parse('2026-11-22T18:00:00.000Z');
const frame = {
  function: 'total',
  file: '/app/dist/x.js',
  source: 'src/cart.ts',
  line: 12,
  column: 9,
  inApp: true,
  context: { firstLine: 8, lines: ['8', '9', '10', '11', 'return item.price', '13', '14', '15'] },
};
const said = { level: 'error', environment: '', sdk: '', user: '', tags: {}, extra: {} } as const;
const server = {
  id: 'e1',
  time: '2026-11-22T17:57:00.000Z',
  name: 'TypeError',
  message: 'no price\u001b[2J\nsecond line',
  telling: frame,
  frames: [frame],
  causes: [{ name: 'Error', message: 'the upstream is gone', stack: '', frames: [] }],
  stack: '',
  componentStack: null,
  phase: 'rsc',
  kind: 'document',
  method: 'GET',
  path: '/cart/7',
  route: '/cart/[id]',
  framework: 'next',
  runtime: '',
  release: '1.2.0',
  requestId: '',
  traceId: '',
  said,
};
const details: ErrorAnswer = {
  digest: '3F7K2-M9QRT',
  app: 'shop',
  names: 'error',
  isUntrusted: false,
  withDigest: 1,
  deletedWithDigest: 0,
  maybe: [],
  fault: {
    id: '7k3m9qrt',
    state: 'open',
    errors: 12,
    users: 3,
    firstTime: '2026-11-20T00:00:00.000Z',
    lastTime: '2026-11-22T17:57:00.000Z',
    page: '',
    self: '',
  },
  server,
  browser: [],
  breadcrumbs: [],
  feedback: [],
  flights: [],
  flightsFoundBy: null,
  printedToo: [],
  otherFaults: [],
  page: 'https://flight.example/errors/e1',
};

function print(lines: ReturnType<typeof describeDetails>): string[] {
  return lines.map(({ label, text }) => `${label}|${text}`);
}

it('tells the error, the line of its source, its cause, when and how often', () => {
  expect(print(describeDetails(details, now))).toEqual([
    'digest|3F7K2-M9QRT',
    'app|shop',
    'error|TypeError: no price\\u001b[2J',
    '|second line',
    'at|src/cart.ts:12:9 in total',
    '|  10 | 10',
    '|  11 | 11',
    '|> 12 | return item.price',
    '|  13 | 13',
    '|  14 | 14',
    'cause|Error: the upstream is gone',
    'when|2026-11-22 17:57:00 UTC (3 minutes ago)',
    'request|GET /cart/7 (route /cart/[id]) [rsc, document]',
    'release|1.2.0',
    'framework|next',
    'fault|7k3m9qrt, open: 12 times, first received 2026-11-20, 3 users',
    'page|https://flight.example/errors/e1',
  ]);
});

it('bounds a message of many lines and of long ones', () => {
  const long = { ...details, server: { ...server, message: `${'x'.repeat(5_000)}\n`.repeat(100) } };
  const lines = print(describeDetails(long, now)).filter((line) => line.includes('xxx') || line.includes('more lines'));
  expect(lines.length).toBe(13);
  expect(lines.at(-1)).toBe('|… and 89 more lines');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(320);
});

it('says that a browser’s error is untrusted', () => {
  const { id: _, telling, frames, causes, componentStack, time, path } = server;
  const report = {
    eventId: 'r',
    time,
    name: 'RangeError',
    message: 'm',
    telling,
    frames,
    causes,
    componentStack,
    path,
  };
  const untrusted = { ...report, release: null, userAgent: null, traceId: null, said };
  const lines = print(describeDetails({ ...details, isUntrusted: true, server: null, browser: [untrusted] }, now));
  expect(lines).toContain(
    'warning|No server told this. Anybody can post such a report, and may have made up each word of it.',
  );
  expect(lines).toContain('untrusted|RangeError: m');
  expect(lines).toContain('browsers|1 error of browsers (untrusted)');
});

it('says where a code leads when no error is stored under it', () => {
  const { page } = details;
  const logged = { type: 'log-only', code: 'X', time: server.time, reason: 'the disk is full', page } as const;
  expect(print(describeLookedUp(logged, now))).toContain(
    'stored|no: the disk is full. The server’s log has the error.',
  );
  const carried = { type: 'flights-only' as const, code: 'X', flights: [], page };
  expect(print(describeLookedUp(carried, now))).toContain('error|nobody reported it; these flights carried it');
});

it('asks which app is meant, where several told it', () => {
  const [lastTime, side] = ['2026-11-22T17:57:00.000Z', 'server'] as const;
  const apps = ['shop', 'blog'].map((app) => ({ app, digest: '1', lastTime, side, page: '', self: '' }));
  expect(print(describeLookedUp({ type: 'several-apps', code: '1', apps, page: 'P' }, now))).toEqual([
    'digest|1',
    'which|2 apps told an error under it. Say which one:',
    'app|--app shop, last 2026-11-22 17:57:00 UTC (3 minutes ago)',
    'app|--app blog, last 2026-11-22 17:57:00 UTC (3 minutes ago)',
    'page|P',
  ]);
});

const choice = { isPathFound: true, isPathKnown: true, isPastNear: false, isCut: false } as const;
const candidates = ['e1', 'e2', 'e3'].map((id) => {
  return { id, time: '2026-11-22T17:57:00.000Z', path: '/cart/7', page: '', self: '' };
});
const several = { ...details, names: 'fault', withDigest: 3, deletedWithDigest: 40 } as const;

it('says of one of many that it is a guess, and names the others', () => {
  const found = { type: 'error' as const, code: '1', otherApps: [], details: several };
  const guess = describeLookedUp(
    { ...found, choice: { ...choice, type: 'one-of', count: 3, candidates, isPastNear: true } },
    now,
  );
  expect(print(guess).slice(0, 3)).toEqual([
    'choice|A guess: one of 3 that fit. Others that may be of that time were deleted.',
    'or|e2, 2026-11-22 17:57:00 UTC, /cart/7',
    'or|e3, 2026-11-22 17:57:00 UTC, /cart/7',
  ]);
  expect(print(guess).find((text) => text.startsWith('fault'))).toMatch(/3 kept under this digest, 40 deleted$/);
  const [other] = [
    { name: 'Error', message: 'm', cause: 'DbError: gone', time: '2026-11-22T17:57:00.000Z', page: 'P' },
  ];
  const ofTwo = print(describeLookedUp({ ...found, choice: null, details: { ...several, otherFaults: [other] } }, now));
  expect(ofTwo.find((text) => text.startsWith('fault'))).toMatch(/3 kept under this digest, 40 deleted, of 2 faults$/);
  expect(ofTwo).toContain('other fault|Error: m, caused by DbError: gone');
  const alone = { ...choice, type: 'one-of', count: 1, candidates, isPastNear: true } as const;
  expect(print(describeLookedUp({ ...found, choice: alone }, now))[0]).toMatch(
    /^choice\|A guess: the only one that is kept and fits\./,
  );
  const sure = describeLookedUp({ ...found, choice: { ...choice, type: 'only', count: 1, candidates } }, now);
  expect(print(sure)[0]).toBe('choice|The only one of that time and place.');
  expect(print(sure)[1]).toMatch(/^digest/);
});

it('leads from a deleted error to its fault', () => {
  const fault = {
    id: '7k3m9qrt',
    name: 'TypeError',
    message: 'no price',
    state: 'open',
    errors: 1_200,
    deleted: 1,
    firstTime: '2026-11-22T17:57:00.000Z',
    lastTime: '2026-11-22T17:57:00.000Z',
    route: '/cart/[id]',
    release: 'shop@2',
    page: 'https://flight.example/faults/7k3m9qrt',
    self: '',
  } as const;
  const lines = describeLookedUp(
    { type: 'past', code: 'tri7', digest: 'TRI7', app: 'shop', otherApps: [], faults: [fault], page: 'P' },
    now,
  );
  expect(print(lines)).toEqual([
    'digest|TRI7',
    'app|shop',
    'stored|no: its row was deleted, for room or age. Its fault is known:',
    'error|TypeError: no price',
    'when|2026-11-22 17:57:00 UTC (3 minutes ago)',
    'route|/cart/[id]',
    'release|shop@2',
    'fault|7k3m9qrt, open: 1200 times in all; https://flight.example/faults/7k3m9qrt',
    'page|P',
  ]);
});
