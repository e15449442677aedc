import { expect, it } from 'vitest';

import { findServerWaits } from './find-server-waits.ts';
import type { PlacedSpan } from './server-time.ts';

function place(name: string, at: number, ms: number, depth = 1, kind: PlacedSpan['kind'] = 'client'): PlacedSpan {
  return { name, kind, at, ms, depth, ownMs: ms, hasFailed: false };
}

function listPlaces(calls: readonly PlacedSpan[]): string {
  return calls.map(({ place: at = '' }) => ` ${at}`).join();
}

/** What the app's own code told. */
function tell(kind: PlacedSpan['kind'], name: string, at: number, ms: number, line: number, isFree = true): PlacedSpan {
  const depth = kind === 'wait' ? 2 : 1;
  return { ...place(name, at, ms, depth, kind), place: `a.tsx:${line}`, isFree };
}

const page = place('GET /cart', 0, 900, 0, 'server');

function find(...spans: readonly PlacedSpan[]) {
  return findServerWaits({ spans: [page, ...spans], left: 0, movedMs: 0, tellers: ['opentelemetry'] }).map(
    (finding) => {
      switch (finding.kind) {
        case 'holds-shell':
          return 'holds the shell';
        case 'longest':
          return `longest ${finding.span.name} ${finding.share.toFixed(2)}${listPlaces(finding.by ? [finding.by] : [])}`;
        case 'in-turn':
          return `in turn ${finding.spans.map(({ name }) => name).join(', ')}: ${finding.ms}, at least ${finding.atLeastMs}`;
        case 'repeated':
          return `${finding.count} × ${finding.name} ${finding.ms}${listPlaces(finding.by)}`;
        case 'waits-in-turn':
          return `${finding.by.name} waits in turn ${finding.spans.map(({ name }) => name).join(', ')}: ${finding.ms}, at least ${finding.atLeastMs}`;
      }
    },
  );
}

it('names the longest request where it decides', () => {
  expect(find(place('GET a', 10, 450), place('GET b', 10, 100))).toEqual(['longest GET a 0.50']);
  expect(find(place('GET a', 10, 200))).toEqual([]);
  expect(
    findServerWaits({ spans: [place('GET a', 0, 19, 0)], left: 0, movedMs: 0, tellers: ['opentelemetry'] }),
  ).toEqual([]);
  expect(find(place('render', 10, 800, 1, 'internal'))).toEqual([]);
});

it('tells what was asked in turn, and not what went on together or waited for something else', () => {
  expect(find(place('GET a', 10, 100), place('GET b', 112, 150), place('GET c', 262, 20))).toEqual([
    'in turn GET a, GET b, GET c: 270, at least 150',
  ]);
  // A span may end a little after the code went on.
  expect(find(place('GET a', 10, 100), place('GET b', 96, 150))).toHaveLength(1);
  expect(find(place('GET a', 10, 100), place('GET b', 94, 150))).toEqual([]);
  expect(find(place('GET a', 10, 100), place('GET b', 116, 150))).toEqual([]);
  expect(find(place('GET a', 10, 100), place('GET b', 112, 19))).toEqual([]);
  // In two components: each is one request of its own.
  const [one, two] = [place('A', 5, 110, 1, 'internal'), place('B', 110, 110, 1, 'internal')];
  expect(find(one, place('GET a', 10, 100, 2), two, place('GET b', 112, 100, 2))).toEqual([]);
});

it('counts what was asked again, and a request within a request as one', () => {
  expect(find(place('GET a', 10, 30), place('GET a', 10, 40), place('GET b', 300, 10))).toEqual(['2 × GET a 70']);
  expect(find(place('GET a', 10, 30), place('GET a', 11, 28, 2))).toEqual([]);
});

it('tells the waits of a component that use nothing of each other, and not those that do', () => {
  const waits = [
    tell('wait', 'user', 10, 100, 2),
    tell('wait', 'of', 110, 50, 3, false),
    tell('wait', 'all', 160, 80, 4),
  ];
  const by = tell('component', 'Page', 10, 230, 1);
  expect(find(by, ...waits)).toEqual(['Page waits in turn user, all: 180, at least 100']);
  expect(find(by, ...waits.slice(0, 2))).toEqual([]);
  // Each of two components waits once.
  expect(find(by, ...waits.slice(0, 1), tell('component', 'B', 160, 80, 9), ...waits.slice(2))).toEqual([]);
});

it('names a long wait in which no request was seen', () => {
  const by = tell('component', 'A', 0, 800, 1);
  expect(find(by, tell('wait', 'db.query', 0, 800, 2))).toEqual(['longest db.query 0.89 a.tsx:1']);
  expect(find(by, tell('wait', 'ask', 0, 800, 2), place('GET a', 0, 700, 3))).toEqual(['longest GET a 0.78 a.tsx:1']);
});

it('names the components that asked', () => {
  const ask = (at: number) => place('GET a', at, 300, 3);
  const one = [tell('component', 'A', 10, 320, 1), tell('wait', 'a', 20, 300, 2), ask(20)];
  const two = () => [tell('component', 'B', 10, 320, 8), ask(25)];
  expect(find(...one, ...two(), ...two())).toEqual(['longest GET a 0.33 a.tsx:1', '3 × GET a 900 a.tsx:1, a.tsx:8']);
});
