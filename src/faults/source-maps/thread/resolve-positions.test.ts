import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import type { MapPlace, ResolvedPosition } from './messages.ts';
import { callAt, exampleMap, throwAt } from './testing/pack-map.ts';
import { cleanSource, resolvePositions } from './resolve-positions.ts';
import { storeMap } from './store-map.ts';

function place(map: unknown): MapPlace {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-resolve-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { hash } = storeMap(folder, Buffer.from(JSON.stringify(map)));
  return { type: 'stored', file: path.join(folder, hash) };
}

function resolve(map: unknown, at = throwAt): ResolvedPosition | undefined {
  const answer = resolvePositions(place(map), [at]);
  if (answer.type !== 'resolved') throw new Error('the map was not read');
  return answer.positions[0];
}

describe('cleanSource', () => {
  it.each([
    ['../../src/app.ts', 'src/app.ts'],
    ['webpack://_N_E/./app/page.tsx?a1b2', 'app/page.tsx'],
    ['webpack:///./src/app.ts', 'src/app.ts'],
    ['turbopack:///[project]/app/page.tsx', 'app/page.tsx'],
    ['/srv/shop/src/app.ts', 'srv/shop/src/app.ts'],
    ['file:///srv/shop/src/app.ts', 'srv/shop/src/app.ts'],
    ['https://cdn.example/a.ts', 'https://cdn.example/a.ts'],
    ['node_modules/react/index.js', 'node_modules/react/index.js'],
    ['../', '../'],
  ])('makes %s to %s', (source, clean) => expect(cleanSource(source)).toBe(clean));
});

describe('resolvePositions', () => {
  it('finds the place in the source, with the lines around it', () => {
    expect(resolve(exampleMap)).toEqual({
      source: 'src/app.ts',
      inApp: true,
      line: 2,
      column: 3,
      name: '',
      functionName: 'fail',
      context: { firstLine: 1, lines: ['function fail() {', "  throw new Error('x');", '}', 'fail();', ''] },
    });
    expect(resolve(exampleMap, callAt)).toMatchObject({ line: 4, column: 1, name: 'fail', functionName: '' });
  });

  it('makes no copy of a root that is as long as a map, for each of its sources', () => {
    const sources = Array.from({ length: 500 }, (_, index) => `%41${index}.ts`);
    const map = { ...exampleMap, sources, sourceRoot: `\u4e00${'r'.repeat(4_000_000)}` };
    expect(resolve(map)).toMatchObject({ source: 'A0.ts', line: 2 });
    const rooted = { ...exampleMap, sources: ['src/app.ts'], sourceRoot: 'app/' };
    expect(resolve(rooted)).toMatchObject({ source: 'app/src/app.ts' });
  });

  it('makes no list of all lines before a position', () => {
    const map = { ...exampleMap, sourcesContent: ['\n'.repeat(3_000_000)], mappings: 'AA+/////DA' };
    const before = process.memoryUsage().heapUsed;
    expect(resolve(map, { line: 1, column: 1 })?.context).toBeUndefined();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(60 * 1024 * 1024);
  });

  it('shows five lines each side, cut where they are long', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `${index + 1} ${'x'.repeat(400)}`);
    const map = { ...exampleMap, sourcesContent: [lines.join('\n')], mappings: 'AAmBA' };
    const context = resolve(map, { line: 1, column: 1 })?.context;
    expect(context?.firstLine).toBe(15);
    expect(context?.lines.map((line) => line.slice(0, 2))).toEqual('15 16 17 18 19 20 21 22 23 24 25'.split(' '));
    expect(context?.lines[0]).toHaveLength(241);
  });

  it.each([[null], [''], [['another version']]])('shows no lines where the map has %j for them', (content) => {
    const map = { ...exampleMap, sourcesContent: Array.isArray(content) ? content : [content] };
    expect(resolve(map)).toMatchObject({ source: 'src/app.ts', line: 2, context: undefined, functionName: undefined });
  });

  it.each(['../node_modules/react/index.js', 'webpack/bootstrap', 'node:fs'])(
    'knows that %s is not the app',
    (source) => {
      expect(resolve({ ...exampleMap, sources: [source] })).toMatchObject({ inApp: false, context: undefined });
    },
  );

  it.each([
    ['webpack://_N_E/./app/%5Bslug%5D/%40modal/page.tsx', 'app/[slug]/@modal/page.tsx'],
    ['src/100%.ts', 'src/100%.ts'],
  ])('reads %s, a name by URL, as %s', (name, source) => {
    expect(resolve({ ...exampleMap, sources: [name] })).toMatchObject({ source });
  });

  it('answers each position by itself', () => {
    const positions = [{ line: 99, column: 1 }, throwAt, { line: 0, column: 0 }, { line: 1, column: 2 ** 31 }];
    const answer = resolvePositions(place(exampleMap), positions);
    if (answer.type !== 'resolved') throw new Error('the map was not read');
    expect(answer.positions.map((found) => found?.line)).toEqual([undefined, 2, undefined, 4]);
  });

  it.each([
    ['mappings that name sources which are not there', { ...exampleMap, mappings: 'AAAA,aAyyyyB' }],
    ['no sources', { version: 3, mappings: 'AAAA' }],
    ['sources that are no texts', { ...exampleMap, sources: [{ a: 1 }], sourcesContent: 7 }],
  ])('says nothing of a map with %s', (_, map) => {
    expect(resolve(map)?.context).toBeUndefined();
  });

  it('reads a map with sections', () => {
    const sections = [{ offset: { line: 0, column: 0 }, map: exampleMap }];
    expect(resolve({ version: 3, sections })).toMatchObject({ source: 'src/app.ts', line: 2 });
  });

  it('reads each section from where it begins, also within sections', () => {
    const other = { ...exampleMap, sources: ['other.ts'] };
    const inner = { version: 3, sections: [{ offset: { line: 0, column: 50 }, map: other }] };
    const sections = [
      { offset: { line: 0, column: 0 }, map: exampleMap },
      { offset: { line: 0, column: 100 }, map: inner },
      { offset: { line: 3, column: 10 }, map: other },
    ];
    const positions = [throwAt, { line: 1, column: 150 + throwAt.column }, { line: 4, column: 10 + throwAt.column }];
    const answer = resolvePositions(place({ version: 3, sections }), positions);
    if (answer.type !== 'resolved') throw new Error('the map was not read');
    expect(answer.positions).toMatchObject([
      { source: 'src/app.ts', line: 2, column: 3 },
      { source: 'other.ts', line: 2, column: 3 },
      { source: 'other.ts', line: 2, column: 3 },
    ]);
  });

  it('reads no more than a few levels of sections', () => {
    const nest = (levels: number): unknown =>
      levels === 0 ? exampleMap : { sections: [{ offset: { line: 0, column: 0 }, map: nest(levels - 1) }] };
    expect(resolve(nest(4))).toMatchObject({ source: 'src/app.ts' });
    expect(resolve(nest(5))).toBeUndefined();
  });

  it('says when a map cannot be read', () => {
    const gone: MapPlace = { type: 'stored', file: '/nowhere/at/all' };
    expect(resolvePositions(gone, [throwAt])).toEqual({ type: 'refused', reason: 'the map cannot be read' });
  });
});
