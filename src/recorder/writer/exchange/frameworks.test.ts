import { globSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { isWorthWatching, mayCarryFlight } from '../../watch/is-worth-watching.ts';
import { readFixture, toExchange } from '../../watch/read-fixture.ts';
import { createExchangeReader } from './describe-exchange.ts';

const folder = path.join(import.meta.dirname, '../../watch/fixtures');
const names = globSync('*/*.json', { cwd: folder }).toSorted();

it('has exchanges to look at', () => expect(names.length).toBeGreaterThan(20));

describe('what a framework really sent is recognised', () => {
  it.each(names)('%s', async (name) => {
    const fixture = readFixture(name);
    const exchange = toExchange(fixture);
    const { facts } = exchange;
    expect(isWorthWatching(facts.method, facts.target, facts.requestHeaders)).toBe(true);
    expect(mayCarryFlight(facts.responseHeaders['content-type'], facts.look.kind !== null)).toBe(true);
    const [entry] = (await createExchangeReader()(exchange)).entries;
    const { framework, kind, route, digests } = fixture.expected;
    expect(entry?.head).toMatchObject({
      knownFramework: framework,
      kind,
      digests: digests.filter((digest) => digest !== ''),
      content: 'flight',
      outcome: 'complete',
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
