import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { attributeBytes } from './attribution.ts';
import { decodeFlight } from './decode-flight.ts';
import { findDuplicates } from './duplicates.ts';

const about = readFileSync(path.join(import.meta.dirname, '../fixtures/next-16.4.6-cache-components/about.rsc'));
const page = 'Next.js-404-page';

/** The list of the title and the page, as Next.js sent it. */
function readSent(): string {
  const text = about.toString('latin1');
  const from = text.indexOf('[["$","title",null,{"children":"404: ');
  return text.slice(from, text.indexOf(',[]],"forbidden"', from));
}

test('Next.js’s own 404 page is one element, named as its own', () => {
  const flight = decodeFlight(new Uint8Array(about));
  const { elements } = attributeBytes(flight);
  const found = elements.find(({ name }) => name === page);
  // The brackets and the comma of the list are of the element around it.
  expect(found).toMatchObject({ kind: 'react', count: 1, own: readSent().length - '[,]'.length });
  const { start = 0 } = found?.places[0] ?? {};
  expect(Buffer.from(flight.bytes).toString('latin1').slice(start)).toMatch(
    /^\["\$","div",null,\{"style":\{"fontFamily"/,
  );
  expect(elements.map(({ name }) => name)).not.toContain('style');
  // The app's own heading stays what it is.
  expect(elements.find(({ name }) => name === 'h1')).toMatchObject({
    count: 1,
    own: '["$","h1",null,{"children":"About"}]'.length,
  });
});

test('what is sent twice of it stands in it', () => {
  const sent = readSent();
  const twice = new TextEncoder().encode(`0:[${sent},${sent.replaceAll('page could', 'thing could')}]\n`);
  const { list } = findDuplicates(decodeFlight(twice));
  const insides = list.flatMap(({ places }) => places.map(({ inside }) => inside.split(' ')[0]));
  expect(new Set(insides)).toEqual(new Set([page]));
});
