import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import { beforeAll, describe, expect, test } from 'vitest';

import { analyzeFlight, type FlightAnalysis } from '../analysis.ts';
import { decodeFlight } from '../decode-flight.ts';
import type { Finding } from '../finding.ts';
import type { Flight } from '../flight.ts';
import { openFlights } from '../open-flights.ts';
import {
  article,
  base64,
  classNames,
  clean,
  givenPromise,
  image,
  labels,
  labelsTwice,
  largeProp,
  modules,
  prices,
  repeatedClasses,
  shared,
  sortedLabels,
} from '../testing/findings-corpus/pages.ts';
import { chunkName, renderWithReact, type Page, type Rendered } from '../testing/findings-corpus/render-with-react.ts';

/**
 * Findings with their truth. Pages that React's own server renders, and payloads of the frameworks: each number of a finding
 * is counted again here, in the bytes themselves, by looking for the text. None of the package's own counting is used for it.
 */
type Analyzed = FlightAnalysis & { flight: Flight };

function analyze(bytes: Uint8Array, chunks: Rendered['chunks'] = []): Analyzed {
  const flight = decodeFlight(bytes);
  return { flight, ...analyzeFlight(flight, { chunks }) };
}

function only(findings: readonly Finding[], kind: Finding['kind']): Finding {
  expect(findings.map((finding) => finding.kind)).toEqual([kind]);
  const [finding] = findings;
  if (!finding) throw new Error('no finding');
  return finding;
}

function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** What gzip itself spends on what was taken away. */
function gzipDifference(text: string, without: string): number {
  return gzipSync(Buffer.from(text, 'latin1')).length - gzipSync(Buffer.from(without, 'latin1')).length;
}

/** The estimate may be off by this share, as its measure against gzip on the fixtures says. */
const tolerance = 0.15;

function expectCost(finding: Pick<Finding, 'compressed'>, real: number): void {
  expect(Math.abs((finding.compressed ?? 0) / real - 1)).toBeLessThan(tolerance);
}

describe('React 19.3, production', () => {
  test('labels that are sent twice', async () => {
    const { bytes, text } = await renderWithReact(labelsTwice);
    const { findings, duplicates } = analyze(bytes);
    for (const label of labels) expect(occurrences(text, `"${label}"`)).toBe(3);
    // The key of each first one is a copy too; those of the second list end with a space.
    const wasted = labels.length * 2 * 42;
    const finding = only(findings, 'sent-twice');
    expect(finding.bytes).toBe(wasted);
    expect(duplicates.wasted).toBe(wasted);
    expect(finding.parts.map((part) => part.title).toSorted()).toEqual([
      '400 more copies of texts in <li>',
      '400 texts in <li> and title of <li>',
    ]);
    expect(finding.parts.reduce((sum, part) => sum + (part.bytes ?? 0), 0)).toBeLessThanOrEqual(wasted);
    let without = text;
    for (const label of sortedLabels) {
      const last = without.lastIndexOf(`"${label}"`);
      without = without.slice(0, last) + without.slice(last + 42);
      const middle = without.lastIndexOf(`"${label}"`);
      without = without.slice(0, middle) + without.slice(middle + 42);
    }
    expectCost(finding, gzipDifference(text, without));
    expect(finding.advice).toContain('React writes a text each time it is used');
    const { start = 0, end = 0 } = finding.place;
    expect(labels).toContain(text.slice(start + 1, end - 1));
  });

  test('a large prop', async () => {
    const { bytes, text } = await renderWithReact(largeProp);
    const finding = only(analyze(bytes).findings, 'large-prop');
    const json = JSON.stringify(prices);
    const start = text.indexOf(json);
    expect(start).toBeGreaterThan(0);
    expect(finding.place).toMatchObject({ start, end: start + json.length });
    // With its key.
    expect(finding.bytes).toBe(json.length + '"data"'.length);
    expectCost(finding, gzipDifference(text, text.replace(json, '1')));
    expect(finding.title).toContain('data of <Chart> carries ');
  });

  test('names of files', async () => {
    const { bytes, text } = await renderWithReact(modules);
    const finding = only(analyze(bytes).findings, 'chunk-names');
    const ids = Array.from(text.matchAll(/^([0-9a-f]+):"(components\/\w+)"$/gm), ([, , id = '']) => id);
    expect(ids.length).toBe(130);
    // A row for each name, `5:"static/chunks/….js"`, and in the module's row the reference and `"app"`.
    let named = 0;
    for (const id of ids) {
      const row = new RegExp(`^([0-9a-f]+):"${chunkName(id).replaceAll(/[.$]/g, String.raw`\$&`)}"\n`, 'm').exec(text);
      named += (row?.[0].length ?? Number.NaN) + `"$${row?.[1]}"`.length + '"app"'.length;
    }
    expect(finding.bytes).toBe(named);
    const without = text
      .replaceAll(/^[0-9a-f]+:"static\/chunks\/.*"\n/gm, '')
      .replaceAll(/\["app","\$[0-9a-f]+"\]/g, '[]');
    expectCost(finding, gzipDifference(text, without));
  });

  test('a file as base64', async () => {
    const { bytes, text } = await renderWithReact(base64);
    const finding = only(analyze(bytes).findings, 'base64');
    const [found = ''] = /data:image\/png;base64,[A-Za-z0-9+/]+=*/.exec(text) ?? [];
    expect(found.endsWith(image)).toBe(true);
    // React puts a text of 1024 characters and more in a row of its own, without quotes.
    expect(finding.bytes).toBe(found.length);
    expectCost(finding, gzipDifference(text, text.replace(found, '')));
  });

  test('class names: many bytes, and next to none after compression', async () => {
    const { bytes, text } = await renderWithReact(repeatedClasses);
    const { findings, duplicates } = analyze(bytes);
    const copies = occurrences(text, `"${classNames}"`);
    expect(copies).toBe(200);
    expect(duplicates.wasted).toBe((copies - 1) * (classNames.length + 2));
    expect(gzipDifference(text, text.replaceAll(`"${classNames}"`, '1'))).toBeLessThan(600);
    expect(findings).toEqual([]);
  });

  test.each<[string, Page]>([
    ['a page as it should be', clean],
    ['an object that is passed forty times', shared],
    ['a long article', article],
  ])('nothing is found in %s', async (_, page) => {
    const { bytes } = await renderWithReact(page);
    expect(analyze(bytes).findings).toEqual([]);
  });
});

describe('waits', () => {
  const slow: Page = ({ h, React }) => {
    async function Slow({ text }: { text: string }): Promise<unknown> {
      await new Promise((resolve) => setTimeout(resolve, 320));
      return h('p', null, text);
    }
    return h(
      'main',
      null,
      ...['a', 'b', 'c'].map((text) => h(React.Suspense, { key: text, fallback: '…' }, h(Slow, { text }))),
    );
  };

  test.each(['production', 'development'] as const)('%s: what came late, and from when', async (mode) => {
    const { bytes, text, chunks } = await renderWithReact(slow, { mode });
    const wait = only(
      analyze(bytes, chunks).findings.filter(({ kind }) => kind !== 'development'),
      'wait',
    );
    /** The time of the write that ended with or after this byte. */
    function timeOf(end: number): number {
      let sum = 0;
      for (const chunk of chunks) if ((sum += chunk.bytes) >= end) return chunk.ms;
      return Number.NaN;
    }
    const [shell = ''] = /^0:\[.*\n/m.exec(text) ?? [];
    const came = timeOf(text.indexOf(shell) + shell.length);
    const ids = Array.from(shell.matchAll(/"children":"\$L([0-9a-f]+)"/g), ([, id = '']) => id);
    expect(ids).toHaveLength(3);
    const waits = ids.map((id) => {
      const [row = ''] = new RegExp(`^${id}:\\[.*\n`, 'm').exec(text) ?? [];
      return Math.round(timeOf(text.indexOf(row) + row.length) - came);
    });
    expect(wait.ms).toBe(Math.max(...waits));
    expect(wait.parts.map(({ ms }) => ms).toSorted()).toEqual(waits.toSorted());
    expect(wait.title).toContain('Suspense "a", Suspense "b" and Suspense "c" showed their fallbacks for ');
    expect(wait.title.includes('until <Slow>')).toBe(mode === 'development');
  });
});

describe('a promise that a client component is given', () => {
  test.each(['production', 'development'] as const)('%s: nothing is said to have waited', async (mode) => {
    const { bytes, text, chunks } = await renderWithReact(givenPromise, { mode });
    const { findings, holes, promises } = analyze(bytes, chunks);
    const finding = only(
      findings.filter(({ kind }) => kind !== 'development'),
      'promise',
    );
    expect([finding.weight, finding.ms, holes]).toEqual(['note', undefined, []]);
    const [, id = ''] = /"reviews":"\$@([0-9a-f]+)"/.exec(text) ?? [];
    expect(promises).toMatchObject([{ id: Number.parseInt(id, 16), state: 'filled' }]);
    const { start = 0, end = 0 } = finding.place;
    expect(text.slice(start, end)).toBe(`"$@${id}"`);
    expect(finding.title).toMatch(
      /^The promise "reviews" of <Reviews> came \d+ ms after it was given, in row \w+ \("late"\)\.$/,
    );
  });

  test('as a child of an element of the page it is waited for', async () => {
    const { bytes, chunks } = await renderWithReact(({ h }) =>
      h('main', null, new Promise((resolve) => setTimeout(resolve, 320, 'late'))),
    );
    const wait = only(analyze(bytes, chunks).findings, 'wait');
    expect(wait.title).toMatch(/^The page waited \d+ ms for row \w+ \("late"\), outside every Suspense boundary/);
  });
});

describe('development', () => {
  test('without its data, a payload has the size of production’s', async () => {
    const [development, production] = [
      await renderWithReact(clean, { mode: 'development' }),
      await renderWithReact(clean),
    ];
    const finding = only(analyze(development.bytes).findings, 'development');
    const page = development.bytes.length - (finding.bytes ?? 0);
    // The commas before the owner, the stack and a number of each element; and longer ids, since there are more rows.
    const commas = 3 * occurrences(production.text, '["$",');
    expect(page - production.bytes.length).toBeGreaterThanOrEqual(commas);
    expect(page - production.bytes.length).toBeLessThan(commas * 1.25);
    const place = /^[0-9a-f]*:[DJNW]/.exec(
      development.text.split('\n').find((_, row) => row === finding.place.row) ?? '',
    );
    expect(place).not.toBeNull();
  });
});

describe('what was cut, at every byte', () => {
  let payload: Rendered;
  beforeAll(async () => {
    payload = await renderWithReact(({ h, client }) =>
      h('main', null, h(client('Card'), { a: 1 }), h(client('Head'), { b: 2 })),
    );
  });

  test('is a problem, and no module of it is told to be unused', () => {
    for (let end = 1; end < payload.bytes.length; end++) {
      const { findings } = analyze(payload.bytes.subarray(0, end));
      expect(findings.map(({ kind }) => kind)).toEqual(['truncated']);
    }
    expect(analyze(payload.bytes).findings).toEqual([]);
  });
});

const fixtures = path.join(import.meta.dirname, '../../fixtures');
// Experiments of the lab are meant to be found: each-kind.test.ts says which.
const files = readdirSync(fixtures, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.(?:flight|rsc|bin)$/.test(file) && !file.includes('-lab'),
);

async function openFixture(file: string): Promise<Analyzed[]> {
  const input = await openFlights(new Uint8Array(readFileSync(path.join(fixtures, file))));
  if (input.kind === 'unreadable') return [];
  return input.flights.flatMap((found) => (found.direction === 'response' ? analyze(found.bytes) : []));
}

/** What the bytes of these payloads say by themselves: each row is on a line, but for those with a length. */
function expectedKinds(text: string, file: string): string[] {
  const kinds: string[] = [];
  const errors = Array.from(
    text.matchAll(/(?:^|\n|[^\n])\b([0-9a-f]+):E\{"digest":"([^"]*)"/g),
    ([, , digest = '']) => digest,
  );
  const isAborted = file.includes('aborted');
  if (isAborted) kinds.push('aborted');
  else for (const _ of new Set(errors)) kinds.push('error');
  if (file.includes('prerender-halted')) kinds.push('halted');
  if (/^:N\d/m.test(text)) kinds.push('development');
  return kinds.toSorted();
}

describe('payloads of the frameworks', () => {
  test.each(files)('%s', async (file) => {
    for (const { flight, findings, duplicates, modules: used, attribution } of await openFixture(file)) {
      const text = Buffer.from(flight.bytes).toString('latin1');
      expect(findings.map(({ kind }) => kind).toSorted()).toEqual(expectedKinds(text, file));
      expect(duplicates.wasted).toBeLessThanOrEqual(text.length);
      expect(duplicates.patterns.reduce((sum, { wasted }) => sum + wasted, 0)).toBeLessThanOrEqual(duplicates.wasted);
      expect(used.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(text.length);
      for (const { place, bytes = 0, compressed = 0, parts } of findings) {
        expect(bytes).toBeLessThanOrEqual(text.length);
        expect(compressed).toBeLessThanOrEqual(attribution.compressed);
        for (const { row, start = 0, end = 0 } of [place, ...parts.map((part) => part.place)]) {
          expect(row).toBeLessThan(flight.rows.count);
          expect(end).toBeLessThanOrEqual(text.length);
          expect(start).toBeLessThanOrEqual(end);
        }
      }
    }
  });
});
