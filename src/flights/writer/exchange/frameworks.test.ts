import { globSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { isWorthWatching, mayCarryFlight } from '../../watch/is-worth-watching.ts';
import { readFixture, toExchange } from '../../watch/testing/read-fixture.ts';
import { createExchangeReader } from './describe-exchange.ts';

const folder = path.join(import.meta.dirname, '../../watch/fixtures');
const names = globSync('*/*.json', { cwd: folder }).toSorted();

it('has exchanges to look at', () => expect(names.length).toBeGreaterThan(20));

const withoutFlight = [
  'waku/action-error.json',
  'parcel/document-error.json',
  'tanstack-start/action.json',
  'tanstack-start/action-error.json',
];
/** Documents of some frameworks say nothing of it: the app's other requests do. So each app is seen once before. */
async function createReader(app: string) {
  const read = createExchangeReader();
  for (const name of names.filter((each) => path.dirname(each) === app)) await read(toExchange(readFixture(name)));
  return read;
}
const readers = new Map([...new Set(names.map(path.dirname))].map((app) => [app, createReader(app)]));

/** As a client sends it, and as it is stored: ours is `<file>#<export>`. */
function toStored(framework: string, actionId: string | undefined): string | null {
  if (actionId === undefined) return null;
  return framework === 'waku' ? actionId.replace('/', '#') : decodeURIComponent(actionId);
}

describe('what a framework really sent is recognised', () => {
  it.each(names)('%s', async (name) => {
    const fixture = readFixture(name);
    const exchange = toExchange(fixture);
    const { facts } = exchange;
    expect(isWorthWatching(facts.method, facts.target, facts.requestHeaders)).toBe(true);
    expect(mayCarryFlight(facts.responseHeaders['content-type'], facts.look.kind !== null)).toBe(true);
    const read = await readers.get(path.dirname(name));
    const [entry] = (await read?.(exchange))?.entries ?? [];
    if (name.endsWith('-without-flight.json')) return expect(entry).toBeUndefined();
    const { framework, kind, route, digests, actionId } = fixture.expected;
    const named = digests.filter((digest) => digest !== '');
    // Answered with a text, or with JSON.
    const isWithout = withoutFlight.includes(name);
    expect(entry?.head).toMatchObject({
      knownFramework: framework,
      kind,
      // Errors without a digest are one empty one.
      digests: named.length === 0 && digests.length > 0 ? [''] : named,
      content: isWithout ? 'none' : 'flight',
      outcome: isWithout ? 'none' : 'complete',
      actionId: toStored(framework, actionId),
      sentBytes: exchange.body.length,
      app: 'shop',
      source: 'proxy',
    });
    if (route !== null) expect(entry?.head.route).toBe(route);
    expect(entry?.head.bytes).toBe(entry?.payload.length);
    expect(entry?.head.knownDecodedBytes).toBeGreaterThanOrEqual(entry?.head.bytes ?? Infinity);
    const chunks = entry?.head.chunks ?? [];
    expect(chunks.reduce((sum, [, bytes]) => sum + bytes, 0)).toBe(entry?.payload.length);
    expect(chunks.map(([ms]) => ms)).toEqual(chunks.map(([ms]) => ms).toSorted((a, b) => a - b));
    const arrived = fixture.chunks.map(([ms]) => ms);
    for (const [ms] of chunks) expect(arrived).toContain(ms);
  });
});
