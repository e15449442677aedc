import { describe, expect, test } from 'vitest';

import { decodeReply, type Reply } from './decode-reply.ts';
import { findBoundary, readMultipart, type ReplyPart } from './multipart.ts';
import { printValue } from './print-value.ts';
import { resolveTarget } from './resolve.ts';
import { findRowById } from './row.ts';
import { readStreams, readStreamItems } from './streams.ts';
import { readItems } from './value.ts';
import { rowToJson, valueToJson, type Json } from './value-to-json.ts';

const encoder = new TextEncoder();

function parts(...entries: [string, ReplyPart['value']][]): ReplyPart[] {
  return entries.map(([name, value]) => ({ name, value }));
}

function argumentsOf(reply: Reply): Json {
  return reply.root ? valueToJson(reply.flight, reply.root) : null;
}

function targetOf(reply: Reply, id: number): Json {
  const found = resolveTarget(reply.flight, { id, path: [] });
  if (found.kind === 'value') return valueToJson(reply.flight, found.value);
  return found.kind === 'row' ? rowToJson(reply.flight, found.row) : found.kind;
}

describe('a call', () => {
  test('of plain arguments is a string', () => {
    const reply = decodeReply('[1,"$$x","$undefined",{"a":"$D2026-01-01T00:00:00.000Z"}]');
    expect(argumentsOf(reply)).toEqual([
      1,
      '$x',
      { $: 'undefined' },
      { a: { $: 'Date', iso: '2026-01-01T00:00:00.000Z' } },
    ]);
    expect(reply.flight.state).toEqual({ kind: 'complete' });
    expect(reply.action).toEqual({ kind: 'call' });
  });

  test('has parts with decimal names and hex references', () => {
    const reply = decodeReply(
      parts(['10', '{"id":"f#a","bound":"$@b"}'], ['11', '["bound"]'], ['0', '["$ha","$Q1"]'], ['1', '[["k",1]]']),
    );
    expect(reply.flight.state).toEqual({ kind: 'complete' });
    expect(targetOf(reply, 10)).toEqual({ id: 'f#a', bound: { $: 'Promise', id: 'b' } });
    expect(targetOf(reply, 11)).toEqual(['bound']);
    expect(targetOf(reply, 1)).toEqual([['k', 1]]);
  });

  test('sends typed arrays and blobs as files', () => {
    const file = { type: 'image/png', filename: 'a.png', data: Uint8Array.of(1, 2, 10, 3) };
    const reply = decodeReply(parts(['1', file], ['2', file], ['0', '["$S1","$B2"]']));
    expect(argumentsOf(reply)).toEqual([
      { $: 'binary', id: '1', type: 'Int16Array' },
      { $: 'Blob', id: '2', filename: 'a.png', type: 'image/png' },
    ]);
    expect(targetOf(reply, 1)).toEqual({ $: 'Uint8Array', bytes: 4, hex: '01020a03' });
    expect(reply.files.get(2)).toEqual(file);
    const { flight, root } = reply;
    const printed = root ? readItems(flight, root).map((item) => printValue(flight, item)) : [];
    expect(printed).toEqual(['Int16Array', 'File("a.png", image/png)']);
  });

  test('sends FormData as fields of their own', () => {
    const file = { type: 'text/plain', filename: 'a.txt', data: encoder.encode('hi') };
    const reply = decodeReply(parts(['_1_name', '$a'], ['_1_file', file], ['_1_name', 'b'], ['0', '["$K1"]']));
    expect(targetOf(reply, 1)).toEqual([
      ['name', '$a'],
      ['file', { $: 'Blob', id: '2', filename: 'a.txt', type: 'text/plain' }],
      ['name', 'b'],
    ]);
    expect(reply.files.get(2)).toEqual(file);
    expect(reply.flight.state).toEqual({ kind: 'complete' });
  });

  test('sends a stream’s items one by one', () => {
    const reply = decodeReply(parts(['S1', '"a"'], ['S1', '{"b":1}'], ['S1', 'C"end"'], ['0', '["$x1"]']));
    const stream = readStreams(reply.flight).get(1);
    expect(stream?.stream).toBe('async-iterator');
    const items = stream && readStreamItems(reply.flight, stream).map((row) => rowToJson(reply.flight, row));
    expect(items).toEqual(['a', { b: 1 }]);
    expect(reply.flight.state).toEqual({ kind: 'complete' });
  });

  test('may refer to itself', () => {
    const reply = decodeReply('[{"a":1},"$0:0"]');
    const [, second] = reply.root ? readItems(reply.flight, reply.root) : [];
    expect(second && valueToJson(reply.flight, second)).toEqual({ $: 'reference', id: '0', path: ['0'] });
  });
});

describe('a form without JavaScript', () => {
  test('of an action without bound arguments', () => {
    const reply = decodeReply(parts(['$ACTION_ID_f#save', ''], ['title', 'x']));
    expect(reply.action).toEqual({ kind: 'form', id: 'f#save', key: undefined });
    expect(reply.fields).toEqual(parts(['title', 'x']));
  });

  test('of an action with bound arguments', () => {
    const reply = decodeReply(
      parts(
        ['$ACTION_REF_1', ''],
        ['$ACTION_1:1', '["bound"]'],
        ['$ACTION_1:0', '{"id":"f#save","bound":"$@1"}'],
        ['$ACTION_KEY', 'k1'],
        ['0', 'typed'],
      ),
    );
    expect(reply.action).toEqual({ kind: 'form', id: 'f#save', key: 'k1' });
    expect(reply.fields).toEqual(parts(['0', 'typed']));
    expect(targetOf(reply, 1)).toEqual(['bound']);
  });
});

describe('hostile requests', () => {
  test('a part that looks like a tag is broken JSON, not another row', () => {
    for (const text of ['Tff,', 'E{}', 'R', '1\n2:"x"', '', '\n0:1', 'x']) {
      const { flight } = decodeReply(parts(['0', text]));
      expect(flight.rows.count).toBe(1);
      expect(findRowById(flight, 0)?.tag).toBe('');
      expect(flight.state.kind).not.toBe('complete');
    }
  });

  test('a reference in a string is no stream', () => {
    expect(readStreams(decodeReply(parts(['0', JSON.stringify(['"$R1"', '\\"$x2'])])).flight).size).toBe(0);
  });
});

describe('a multipart body', () => {
  const body = [
    '--b1',
    'Content-Disposition: form-data; name="0"',
    '',
    '["$K1"]',
    '--b1',
    'Content-Disposition: form-data; name="_1_a%22b"; filename="x.bin"',
    'Content-Type: application/octet-stream',
    '',
    'a\r\n\r\n--b',
    '--b1--',
    '',
  ].join('\r\n');

  test('is cut into its parts', () => {
    const bytes = encoder.encode(body);
    const boundary = findBoundary(bytes);
    expect(boundary).toBe('b1');
    expect(readMultipart(bytes, 'b1')).toEqual([
      { name: '0', value: '["$K1"]' },
      {
        name: '_1_a"b',
        value: { type: 'application/octet-stream', filename: 'x.bin', data: encoder.encode('a\r\n\r\n--b') },
      },
    ]);
  });

  test('and decoded as it is; other bytes are its text', () => {
    const bytes = encoder.encode(body);
    const { flight, root } = decodeReply(bytes);
    expect(root && readItems(flight, root)).toMatchObject([{ kind: 'form-data', id: 1 }]);
    expect(flight.bytes).toEqual(decodeReply(readMultipart(bytes, 'b1')).flight.bytes);
    expect(decodeReply(encoder.encode('["é"]')).flight.bytes).toEqual(decodeReply('["é"]').flight.bytes);
  });

  test('cut anywhere gives the parts that are whole', () => {
    const bytes = encoder.encode(body);
    for (let at = 0; at < bytes.length; at++) expect(readMultipart(bytes.subarray(0, at), 'b1').length).toBeLessThan(3);
  });
});
