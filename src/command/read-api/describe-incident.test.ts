import { expect, it } from 'vitest';

import type { IncidentAnswer } from '#src/api/schemas/errors.ts';

import { describeIncident, describeLookedUp } from './describe-incident.ts';

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
const incident: IncidentAnswer = {
  digest: '3F7K2-M9QRT',
  app: 'shop',
  names: 'occurrence',
  isClaim: false,
  withDigest: 1,
  fault: {
    id: '7k3m9qrt',
    state: 'open',
    occurrences: 12,
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
  page: 'https://flight.example/errors/e1',
};

function print(lines: ReturnType<typeof describeIncident>): string[] {
  return lines.map(({ label, text }) => `${label}|${text}`);
}

it('tells the error, the line of its source, its cause, when and how often', () => {
  expect(print(describeIncident(incident, now))).toEqual([
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
    'release|1.2.0, next',
    'fault|7k3m9qrt, open: 12 times since 2026-11-20, 3 users',
    'page|https://flight.example/errors/e1',
  ]);
});

it('bounds a message of many lines and of long ones', () => {
  const long = { ...incident, server: { ...server, message: `${'x'.repeat(5_000)}\n`.repeat(100) } };
  const lines = print(describeIncident(long, now)).filter(
    (line) => line.includes('xxx') || line.includes('more lines'),
  );
  expect(lines.length).toBe(13);
  expect(lines.at(-1)).toBe('|… and 89 more lines');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(320);
});

it('says that a browser’s report is a claim', () => {
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
  const claim = { ...report, release: null, userAgent: null, traceId: null, said };
  const lines = print(describeIncident({ ...incident, isClaim: true, server: null, browser: [claim] }, now));
  expect(lines).toContain(
    'claim|No server told this. Anybody can post such a report, and may have made up each word of it.',
  );
  expect(lines).toContain('claimed|RangeError: m');
  expect(lines).toContain('browsers|1 report of browsers (claims)');
});

it('says where a code leads when no error is stored under it', () => {
  const { page } = incident;
  const logged = { type: 'log-only', code: 'X', time: server.time, reason: 'the disk is full', page } as const;
  expect(print(describeLookedUp(logged, now))).toContain(
    'stored|no: the disk is full. The server’s log has the error.',
  );
  const carried = { type: 'flights-only' as const, code: 'X', flights: [], page };
  expect(print(describeLookedUp(carried, now))).toContain('error|nobody reported it; these flights carried it');
});
