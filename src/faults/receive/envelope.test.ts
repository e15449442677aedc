import { describe, expect, it } from 'vitest';

import { parseEnvelope } from './envelope.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function parse(text: string | Uint8Array) {
  const parsed = parseEnvelope(typeof text === 'string' ? encoder.encode(text) : text);
  if (parsed.status === 'malformed') return parsed.detail;
  return {
    header: parsed.header,
    items: parsed.items.map((item) => [item.type, decoder.decode(item.payload)]),
    malformedItems: parsed.malformedItems,
  };
}

const id = '{"event_id":"9ec79c33ec9942ab8353589fcb2e04dc"}';
const header = { event_id: '9ec79c33ec9942ab8353589fcb2e04dc' };

describe('parseEnvelope reads', () => {
  it.each<[string, string, [string, string][]]>([
    ['a header alone', id, []],
    ['a header and its newline', `${id}\n`, []],
    ['an empty header', '{}\n{"type":"event"}\n{}', [['event', '{}']]],
    ['an item with a length, without a last newline', `${id}\n{"type":"event","length":2}\n{}`, [['event', '{}']]],
    ['an item with a length and a last newline', `${id}\n{"type":"event","length":2}\n{}\n`, [['event', '{}']]],
    ['an item whose length is null', `${id}\n{"type":"event","length":null}\n{}\n`, [['event', '{}']]],
    ['an item without length that is not JSON', `${id}\n{"type":"attachment"}\nHello\n`, [['attachment', 'Hello']]],
    [
      'newlines inside a payload of known length',
      `${id}\n{"type":"attachment","length":10}\n\uFEFFHello\r\n\n{"type":"event","length":0}\n`,
      [
        ['attachment', 'Hello\r\n'],
        ['event', ''],
      ],
    ],
    [
      'two empty attachments',
      `${id}\n{"type":"attachment","length":0}\n\n{"type":"attachment","length":0}\n\n`,
      [
        ['attachment', ''],
        ['attachment', ''],
      ],
    ],
    ['an empty attachment at the very end', `${id}\n{"type":"attachment","length":0}`, [['attachment', '']]],
    ['an item without length or payload at the very end', `${id}\n{"type":"session"}`, [['session', '']]],
    [
      'an empty payload without length',
      `${id}\n{"type":"attachment"}\n\n{"type":"event"}\n{}`,
      [
        ['attachment', ''],
        ['event', '{}'],
      ],
    ],
    ['a second newline at the end', `${id}\n{"type":"event","length":2}\n{}\n\n`, [['event', '{}']]],
    [
      'empty lines between items',
      `${id}\n{"type":"event"}\n{}\n\n\n{"type":"session"}\n{}`,
      [
        ['event', '{}'],
        ['session', '{}'],
      ],
    ],
    ['a type it never heard of', `${id}\n{"type":"hologram","extra":[1]}\nabc`, [['hologram', 'abc']]],
    ['a carriage return as part of a payload', `${id}\n{"type":"attachment"}\na\r\n`, [['attachment', 'a\r']]],
    ['a length in bytes, not characters', `${id}\n{"type":"event","length":5}\näöx\n`, [['event', 'äöx']]],
  ])('%s', (_, text, items) => {
    expect(parse(text)).toEqual({ header: text.startsWith('{}') ? {} : header, items, malformedItems: 0 });
  });

  it('payloads that are not text', () => {
    const bytes = new Uint8Array([...encoder.encode(`${id}\n{"type":"attachment","length":4}\n`), 0, 0xff, 0x0a, 0x80]);
    const parsed = parseEnvelope(bytes);
    expect(parsed).toMatchObject({ status: 'parsed', items: [{ payload: new Uint8Array([0, 0xff, 0x0a, 0x80]) }] });
  });

  it('unknown header fields, `__proto__` among them, without harm', () => {
    const parsed = parseEnvelope(encoder.encode('{"__proto__":{"polluted":1},"x":2}\n{"type":"event"}\n{}'));
    expect(parsed).toMatchObject({ status: 'parsed', header: { x: 2 } });
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('parseEnvelope refuses', () => {
  const badHeader = 'envelope header is not one line with a JSON object';
  const badItem = 'item header is not one line with a JSON object';
  it.each([
    ['nothing at all', '', badHeader],
    ['a newline alone', '\n', badHeader],
    ['an array as header', '[]\n', badHeader],
    ['null as header', 'null\n', badHeader],
    ['a header that is cut off', '{"event_id":"9e', badHeader],
    ['a carriage return after the header', `${id}\r\n{"type":"event"}\n{}`, badHeader],
    ['a byte order mark', `\uFEFF${id}\n`, badHeader],
    ['text after the header', `${id} x\n`, badHeader],
    ['a header of several lines', '{\n"a":1}\n', badHeader],
    ['an item header that is no JSON', `${id}\nhello\n{}`, badItem],
    ['an item header that is an array', `${id}\n["event"]\n{}`, badItem],
    ['a carriage return after an item header', `${id}\n{"type":"event"}\r\n{}`, badItem],
    ['a length past the end', `${id}\n{"type":"event","length":3}\n{}`, 'unexpected end of file in an item'],
    ['a length that is too short', `${id}\n{"type":"event","length":1}\n{}\n`, 'missing newline after an item'],
    ['a negative length', `${id}\n{"type":"event","length":-1}\n{}`, 'item length is no byte count'],
    ['a fractional length', `${id}\n{"type":"event","length":1.5}\n{}`, 'item length is no byte count'],
    ['a length as text', `${id}\n{"type":"event","length":"2"}\n{}`, 'item length is no byte count'],
    ['a very long header', `{"a":"${'x'.repeat(9000)}"}\n`, 'envelope header is too long'],
    ['a very long item header', `${id}\n{"a":"${'x'.repeat(9000)}"}\n`, 'item header is too long'],
    ['more items than anyone sends', `${id}\n${'{"type":"a"}\n\n'.repeat(1025)}`, 'too many items'],
    ['more empty lines than anyone sends', `${id}\n${'\n'.repeat(2 ** 20 + 1)}`, 'too many empty lines'],
    [
      'headers of brackets',
      `${id}\n${`{"type":"a","x":[${'[],'.repeat(2500)}0]}\n\n`.repeat(10)}`,
      'item header has too many values',
    ],
  ])('%s', (_, text, detail) => {
    expect(parse(text)).toBe(detail);
  });

  it('a header that is not UTF-8, which changes nothing for the next envelope', () => {
    expect(parse(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toBe(badHeader);
    expect(parse(new Uint8Array([0x7b, 0x22, 0xc3]))).toBe(badHeader);
    expect(parse(id)).toMatchObject({ header });
  });
});

describe('parseEnvelope drops one item and keeps the rest', () => {
  it.each([
    ['without a type', '{}'],
    ['with a type that is a number', '{"type":1}'],
    ['with an empty type', '{"type":""}'],
    ['with an endless type', `{"type":"${'x'.repeat(65)}"}`],
  ])('%s', (_, itemHeader) => {
    expect(parse(`${id}\n${itemHeader}\nlost\n{"type":"event"}\n{}`)).toEqual({
      header,
      items: [['event', '{}']],
      malformedItems: 1,
    });
  });

  it('takes time in proportion to the size', () => {
    const text = `${id}\n${'\n'.repeat(1_000_000)}`;
    const start = performance.now();
    parse(text);
    expect(performance.now() - start).toBeLessThan(500);
  });
});
