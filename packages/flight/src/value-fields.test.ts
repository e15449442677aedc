import { describe, expect, it } from 'vitest';

import { analyzeFlight } from './analysis.ts';
import { createItemReader } from './byte-items.ts';
import { decodeFlight } from './decode-flight.ts';
import { findFields } from './value-fields.ts';

const encoder = new TextEncoder();

/** The fields of the prop `data` of a client component whose value is written so, with what each place holds. */
function fieldsOf(data: string, rows = ''): readonly (readonly [name: string, bytes: number, largest: string])[] {
  const bytes = encoder.encode(`1:I["m",[],"Chart"]\n${rows}0:["$","$L1",null,{"data":${data}}]\n`);
  const flight = decodeFlight(bytes);
  const { attribution } = analyzeFlight(flight);
  const place = attribution.props.find(({ prop }) => prop === 'data')?.largest;
  if (!place) throw new Error('no prop data');
  return findFields(createItemReader(flight, attribution), place).map(
    ({ name, bytes: size, place: { start, end } }) => [
      name,
      size,
      new TextDecoder().decode(bytes.subarray(start, end)),
    ],
  );
}

const items = [
  { id: 1, text: 'a'.repeat(40), tags: ['x'] },
  { id: 2, text: 'b'.repeat(60), tags: ['y', 'z'.repeat(20)] },
];

describe('the fields of a value', () => {
  it('of a list are the names of its objects, each with all of its values', () => {
    expect(fieldsOf(JSON.stringify(items))).toEqual([
      ['text × 2', 104, JSON.stringify(items[1]?.text)],
      ['names of the fields', 2 * '{"id":,"text":,"tags":}'.length, JSON.stringify(items)],
      ['tags × 2', 33, JSON.stringify(items[1]?.tags)],
    ]);
  });

  it('go into a name that has nearly everything', () => {
    expect(fieldsOf(JSON.stringify({ page: 1, found: { items } })).map(([name]) => name)).toEqual([
      'found.items.text × 2',
      'names of the fields',
      'found.items.tags × 2',
    ]);
  });

  it('count what rows bring of which they are the first users', () => {
    const text = 'c'.repeat(300);
    const found = fieldsOf('{"text":"$5","short":"s"}', `5:T12c,${text}`);
    const withRow = `5:T12c,${text}`.length + '"$5"'.length;
    const names = '{"text":,"short":}'.length;
    expect(found.map(([name, bytes]) => [name, bytes])).toEqual([
      ['text', withRow],
      ['names of the fields', names],
    ]);
  });

  it('of an object with an id for each item are those of the items', () => {
    const byId = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`p${at}`, { name: `n${at}`, note: 'n'.repeat(30) }]),
    );
    expect(fieldsOf(JSON.stringify(byId)).map(([name]) => name)).toEqual([
      'note × 60',
      'names of the fields',
      'name × 60',
    ]);
  });

  it('end at a row that refers to itself', () => {
    expect(fieldsOf('"$7"', '7:{"self":"$7"}\n')).toContainEqual(['self', 4, '"$7"']);
  });

  it.each([
    ['a text', '"text"'],
    ['a list of texts', '["one","two"]'],
    ['nothing inside', '{}'],
    ['an element', '["$","p",null,{"title":"t"}]'],
    ['a list of elements', '[["$","p",null,{"title":"t"}]]'],
    ['more than is looked at', JSON.stringify(Array.from({ length: 20_001 }, () => ({ a: 1 })))],
    ['lists that are nested too deep', `${'['.repeat(30)}{"a":1}${']'.repeat(30)}`],
  ])('are none of %s', (_, data) => {
    expect(fieldsOf(data)).toEqual([]);
  });
});
