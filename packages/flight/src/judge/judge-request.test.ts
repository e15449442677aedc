import { describe, expect, test, vi } from 'vitest';

import { type Judgement } from './forgery.ts';
import { judgeRequest } from './judge-request.ts';

/**
 * Bodies here are text for our own reader. Each has only the shape that is to be recognised: names lead nowhere, and no server reads them.
 */
const encoder = new TextEncoder();
const boundary = '----b1';
const contentType = `multipart/form-data; boundary=${boundary}`;

type Field = readonly [name: string, value: string, filename?: string];

function writeForm(fields: readonly Field[]): Uint8Array {
  const parts = fields.map(([name, value, filename]) => {
    const file = filename === undefined ? '' : `; filename="${filename}"\r\nContent-Type: application/octet-stream`;
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
  });
  return encoder.encode(`${parts.join('')}--${boundary}--\r\n`);
}

function judgeFields(...fields: Field[]): Judgement {
  return judgeRequest({ body: writeForm(fields), contentType, isCall: true, isWhole: true });
}

function judgeText(text: string): Judgement {
  return judgeRequest({ body: encoder.encode(text), contentType: 'text/plain', isCall: true, isWhole: true });
}

/** `rule`, or `rule advisory`, of each breach. */
function rulesOf(judged: Judgement): string[] {
  if (judged.kind !== 'forged') return [];
  return judged.breaches.map(({ rule, advisory }) => (advisory ? `${rule} ${advisory}` : rule));
}

describe('what a client writes', () => {
  test.each<[string, Judgement]>([
    ['arguments', judgeText('[1,"$$x","$undefined",{"a":"$D2026-01-01T00:00:00.000Z"},"$n-5","$-0",1e+21]')],
    ['the same object twice, and itself', judgeText('[{"a":{}},"$0:0:a","$0"]')],
    ['keys that mean something elsewhere', judgeText('[{"__proto__":{"then":[]}},"$0:0:__proto__:then"]')],
    ['escapes that are needed', judgeText('["\\u0000\\n\\ud800\\"\\\\"]')],
    ['a map', judgeFields(['1', '[["k",1]]'], ['0', '["$Q1","$0:0"]'])],
    ['an action with what is bound', judgeFields(['1', '{"id":"f#a","bound":"$@2"}'], ['0', '["$h1"]'], ['2', '[1]'])],
    ['an action, before December 2025', judgeFields(['1', '{"id":"f#a","bound":null}'], ['0', '["$F1"]'])],
    ['a promise that was given up', judgeFields(['0', '["$@1"]'])],
    ['a promise that knows itself', judgeFields(['0', '["$@1"]'], ['1', '{"self":"$@1"}'])],
    ['FormData', judgeFields(['_1_a', 'x'], ['_1_a', 'y'], ['0', '["$K1"]'])],
    ['FormData, before December 2025', judgeFields(['1_a', 'x'], ['0', '["$K1"]'])],
    ['FormData without fields', judgeFields(['0', '["$K1"]'])],
    ['a file', judgeFields(['1', 'x', 'a.txt'], ['0', '["$B1"]'])],
    ['a stream', judgeFields(['0', '["$x1"]'], ['S1', '"a"'], ['S1', 'C"end"'])],
  ])('%s', (_, judged) => {
    expect(judged).toEqual({ kind: 'possible' });
  });

  test('a form with an action in each of many fields, which is looked through once', () => {
    const fields = Array.from({ length: 500 }, (_, index): Field => [
      `$ACTION_${index}:0`,
      '{"id":"f#a","bound":null}',
    ]);
    const body = writeForm(fields);
    const looks = vi.spyOn(String.prototype, 'startsWith');
    const judged = judgeRequest({ body, contentType, isCall: false, isWhole: true });
    const count = looks.mock.calls.length;
    looks.mockRestore();
    expect(judged).toEqual({ kind: 'possible' });
    expect(count).toBeLessThan(20 * fields.length);
  });

  test('an encoded form: of its fields only those of actions are read', () => {
    const judgeEncoded = (text: string) =>
      judgeRequest({
        body: encoder.encode(text),
        contentType: 'application/x-www-form-urlencoded',
        isCall: false,
        isWhole: true,
      });
    const bound = `%24ACTION_REF_1=&%24%41CTION_1%3A0=${encodeURIComponent('{"id":"f#a","bound":"$@1"}')}`;
    expect(judgeEncoded(`a+b=%&${bound}&%24ACTION_1:1=%5B%22a+b%22%5D&price=$5`)).toEqual({ kind: 'possible' });
    expect(rulesOf(judgeEncoded(`${bound}&%24ACTION_1:1=${encodeURIComponent('["$0:then"]')}`))).toEqual([
      'path CVE-2025-55182',
    ]);
    const params = vi.spyOn(URLSearchParams.prototype, 'get');
    expect(judgeEncoded(`%24${'&a'.repeat(200_000)}&$${'&%24=+'.repeat(4_000)}`)).toEqual({ kind: 'possible' });
    expect(params).not.toHaveBeenCalled();
    params.mockRestore();
    expect(rulesOf(judgeEncoded('&$ACTION_1:0=1'.repeat(5_001)))).toEqual(['size']);
  });

  test('a form that was sent without JavaScript, whatever the visitor typed', () => {
    const fields: Field[] = [
      ['$ACTION_REF_1', ''],
      ['$ACTION_1:0', '{"id":"f#a","bound":"$@1"}'],
      ['$ACTION_1:1', '[1]'],
      ['$ACTION_KEY', 'k'],
      ['0', '$1:then'],
      ['name', 'x'],
    ];
    const body = writeForm(fields);
    expect(judgeRequest({ body, contentType, isCall: false, isWhole: true })).toEqual({ kind: 'possible' });
    const unchosen = writeForm([['$ACTION_ID_f#b', ''], ...fields.slice(1)]);
    expect(judgeRequest({ body: unchosen, contentType, isCall: false, isWhole: true })).toEqual({ kind: 'possible' });
  });

  test('the beginning of a body says nothing of what is not there', () => {
    const body = writeForm([
      ['1', '[["k",1]]'],
      ['0', '["$Q1"]'],
    ]);
    for (let length = 0; length < body.length; length += 1) {
      const judged = judgeRequest({ body: body.subarray(0, length), contentType, isCall: true, isWhole: false });
      expect([length, judged]).toEqual([length, { kind: 'possible' }]);
    }
    const text = encoder.encode('[1,{"a":2');
    expect(judgeRequest({ body: text, contentType: 'text/plain', isCall: true, isWhole: false }).kind).toBe('possible');
  });
});

/** A body that looks into a prototype, where a server reads it as what is bound to an action. */
const forgedPart = '{"id":"f#a","bound":"$0:__proto__:y"}';

describe('what a server may read in another way than it looks', () => {
  const asForm = (type: string, body: string | Uint8Array) =>
    judgeRequest({
      body: typeof body === 'string' ? encoder.encode(body) : body,
      contentType: type,
      isCall: false,
      isWhole: true,
    });
  const form = writeForm([
    ['$ACTION_REF_1', ''],
    ['$ACTION_1:0', forgedPart],
  ]);
  const encoded = new URLSearchParams({ '$ACTION_1:0': forgedPart, $ACTION_REF_1: '' }).toString();

  test.each<[string, Judgement]>([
    ['a call with a field of a form beside its parts', judgeFields(['0', '["$0:__proto__:y"]'], ['$ACTION_KEY', ''])],
    ['a call with an action of a form', judgeFields(['0', '["$0:__proto__:y"]'], ['$ACTION_ID_x', ''])],
    [
      'a prefix that looks like a reference',
      asForm(
        contentType,
        writeForm([
          ['$ACTION_REF_REF_1', ''],
          ['$ACTION_REF_1:0', forgedPart],
        ]),
      ),
    ],
    [
      'a prefix that looks like an id',
      asForm(
        contentType,
        writeForm([
          ['$ACTION_REF_ID_1', ''],
          ['$ACTION_ID_1:0', forgedPart],
        ]),
      ),
    ],
    [
      'a prefix with a prefix in it',
      asForm(
        contentType,
        writeForm([
          ['$ACTION_REF_a:0_b', ''],
          ['$ACTION_a:0_b:0', forgedPart],
        ]),
      ),
    ],
    ['more colons than a name has', asForm(contentType, writeForm([[`$ACTION_1${':0_'.repeat(20)}:0`, forgedPart]]))],
    [
      'a call as an encoded form',
      judgeRequest({
        body: encoder.encode('["&0=%5B%5D&"]'),
        contentType: 'application/x-www-form-urlencoded',
        isCall: true,
        isWhole: true,
      }),
    ],
    ['a type that is longer than any', asForm(`${'a'.repeat(500)}; ${contentType}`, '')],
    ['a form of two types', asForm(`${contentType}; a=application/x-www-form-urlencoded`, form)],
    ['a form of two types, the other first', asForm(`application/x-www-form-urlencoded, ${contentType}`, form)],
    ['an encoded form behind a question mark', asForm('application/x-www-form-urlencoded', `?${encoded}`)],
    ['an encoded form', asForm('application/x-www-form-urlencoded', encoded)],
    ['a form', asForm(contentType, form)],
    ['more fields of actions than are judged', asForm('application/x-www-form-urlencoded', '&$%'.repeat(6_000))],
  ])('%s', (_, judged) => {
    expect(judged.kind).toBe('forged');
  });
});

describe('what no client writes', () => {
  test.each<[string, Judgement, string[]]>([
    ['a path to what nobody sent', judgeText('[{"a":1},"$0:0:b"]'), ['path']],
    ['a path into a prototype', judgeText('[{"a":1},"$0:0:constructor"]'), ['path CVE-2025-55182']],
    ['a path through one', judgeFields(['1', '{}'], ['0', '["$1:__proto__:x"]']), ['path CVE-2025-55182']],
    ['a path to a method of an array', judgeText('["$0:then"]'), ['path CVE-2025-55182']],
    ['a path to a string', judgeText('["a","$0:0"]'), ['path']],
    ['a path beyond an array', judgeText('["a","$0:2"]'), ['path']],
    ['a path into a map as if it were an object', judgeFields(['1', '[]'], ['0', '["$Q1","$0:0:size"]']), ['path']],
    ['arguments that are a promise of themselves', judgeText('["$@0"]'), ['circle CVE-2025-55184']],
    ['a part that is itself', judgeFields(['0', '["$1"]'], ['1', '"$1"']), ['circle CVE-2025-55184']],
    [
      'promises of each other',
      judgeFields(['0', '["$@1"]'], ['1', '"$@2"'], ['2', '"$@1"']),
      ['circle CVE-2025-55184'],
    ],
    ['a part nobody refers to', judgeFields(['1', '{}'], ['0', '[]']), ['unreferenced']],
    [
      'parts that refer to each other alone',
      judgeFields(['1', '{"a":"$@2"}'], ['2', '{"a":"$@1"}'], ['0', '[]']),
      ['unreferenced', 'unreferenced'],
    ],
    ['a number that was left out', judgeFields(['2', '[]'], ['0', '["$W2"]']), ['unreferenced']],
    ['a part that did not come', judgeFields(['0', '["$Q1"]']), ['missing']],
    ['a call that is no form data, and speaks of a part', judgeText('["$W1"]'), ['missing']],
    ['no arguments', judgeFields(['1', '{}']), ['missing']],
    ['a part twice', judgeFields(['0', '[]'], ['0', '[1]']), ['twice']],
    ['a set used up twice', judgeFields(['1', '[]'], ['0', '["$W1","$W1"]']), ['twice CVE-2026-23864']],
    ['a part of two kinds', judgeFields(['1', '[]'], ['0', '["$@1","$W1"]']), ['twice']],
    ['a map without pairs', judgeFields(['1', '[1]'], ['0', '["$Q1"]']), ['shape']],
    [
      'an action with more than that',
      judgeFields(['1', '{"id":"f","bound":null,"then":1}'], ['0', '["$h1"]']),
      ['shape'],
    ],
    ['what is bound, but not awaited', judgeFields(['1', '{"id":"f","bound":[1]}'], ['0', '["$h1"]']), ['shape']],
    ['text where bytes are meant', judgeFields(['1', '[]'], ['0', '["$o1"]']), ['shape']],
    ['bytes where text is meant', judgeFields(['1', '[]', 'blob'], ['0', '["$W1"]']), ['shape']],
    ['a stream after its end', judgeFields(['0', '["$x1"]'], ['S1', 'C'], ['S1', '1']), ['shape']],
    ['the arguments before what they are made of', judgeFields(['0', '["$W1"]'], ['1', '[]']), ['order']],
    ['a field that is no part', judgeFields(['0', '[]'], ['x', '1']), ['name']],
    ['a form of the other direction', judgeText('["$Z1"]'), ['form']],
    ['a form with its id in capitals', judgeText('["$@A"]'), ['form']],
    ['a form that a server would guess', judgeText('["$Nonsense","$undef"]'), ['form', 'form']],
    ['space', judgeText('[1, 2]'), ['spelling']],
    ['a dollar in other words', judgeText('["\\u0024@1"]'), ['spelling']],
    ['a number in other words', judgeText('[1.0]'), ['spelling']],
    ['a key twice', judgeText('[{"a":1,"a":2}]'), ['spelling']],
    ['no JSON', judgeText('hello'), ['spelling']],
    ['nothing', judgeText(''), ['spelling']],
    ['a bigint that no server takes', judgeText(`["$n${'9'.repeat(400)}"]`), ['size CVE-2026-23864']],
    ['too deep', judgeText(`${'['.repeat(10_002)}${']'.repeat(10_002)}`), ['size']],
    ['more places than a server has', judgeText(`[[${'0,'.repeat(1_000_000)}0]]`), ['size CVE-2026-23864']],
    [
      'more bound than a server binds',
      judgeFields(['1', '{"id":"f","bound":"$@2"}'], ['0', '["$h1"]'], ['2', `[${'0,'.repeat(1_000)}0]`]),
      ['size CVE-2026-23864'],
    ],
  ])('%s', (_, judged, rules) => {
    expect(rulesOf(judged)).toEqual(rules);
  });

  test('padding and other names change nothing', () => {
    const padding: Field[] = Array.from({ length: 500 }, (_, index) => [`x${index}`, 'y'.repeat(100)]);
    expect(judgeFields(...padding, ['0', '["$0:then"]']).kind).toBe('forged');
    expect(rulesOf(judgeFields(['1', `{"p":"${'y'.repeat(300_000)}"}`], ['0', '["$1:x"]']))).toContain('path');
  });

  test('an envelope that a server would read in another way', () => {
    const body = new TextDecoder().decode(writeForm([['0', '[]']]));
    const judge = (text: string, type = contentType) =>
      rulesOf(judgeRequest({ body: encoder.encode(text), contentType: type, isCall: true, isWhole: true }));
    expect(judge(body)).toEqual([]);
    expect(judge(body.replaceAll('\r\n', '\n'))).toEqual(['envelope']);
    expect(judge(`preamble\r\n${body}`)).toEqual(['envelope']);
    expect(judge(body, ' Multipart/Form-Data;boundary="----b1" ')).toEqual([]);
    expect(judge(body, 'multipart/form-data; boundary=other')).toEqual(['envelope']);
    // A pattern with two places for the blanks takes an hour.
    expect(judge(body, `multipart/form-data; boundary=----b1${'\t'.repeat(2_000_000)}x`)).toEqual([
      'envelope',
      'envelope',
    ]);
    expect(judge(body, 'multipart/mixed; boundary=----b1')).toEqual(['envelope']);
    expect(judge(body.replace('\r\n\r\n', '\r\nContent-Transfer-Encoding: base64\r\n\r\n'))).toEqual(['envelope']);
    expect(judge(body.replace('name="0"', "name*=utf-8''0"))).toContain('envelope');
    expect(judge(`${body}more`)).toEqual(['envelope']);
    expect(judge(body.slice(0, -8))).toContain('envelope');
  });

  test('a field of a form that React does not write', () => {
    const judge = (...fields: Field[]) =>
      rulesOf(judgeRequest({ body: writeForm(fields), contentType, isCall: false, isWhole: true }));
    expect(
      judge(['$ACTION_REF_1', ''], ['$ACTION_1:0', '{"id":"f","bound":"$@1"}'], ['$ACTION_1:1', '["$0:then"]']),
    ).toEqual(['path CVE-2025-55182']);
    expect(judge(['$ACTION_ID_f', ''], ['$ACTION_x', ''])).toEqual(['name']);
  });
});

test('says which part breaks the rule, in a few words', () => {
  expect(judgeFields(['1', '{}'], ['0', `["$1:${'x'.repeat(5_000)}"]`])).toEqual({
    kind: 'forged',
    breaches: [
      {
        rule: 'path',
        part: '0',
        detail: expect.stringMatching(/^"\$1:x{77}…" leads to "x{80}…", which was not sent$/),
        advisory: undefined,
      },
    ],
  });
  const many = judgeText(`[${Array.from({ length: 100 }, () => '"$Z1"').join()}]`);
  expect(many.kind === 'forged' && many.breaches.length).toBe(20);
});

test('what has too many values is not looked at, and no text counts', () => {
  expect(judgeText(`[${'"$0:then",'.repeat(20_000)}1]`)).toEqual({ kind: 'too-large' });
  expect(judgeText(`["${'x, y: [z] '.repeat(20_000)}"]`)).toEqual({ kind: 'possible' });
});

/** Whatever the body holds, the time is that of reading it. */
test.each<[string, () => Uint8Array]>([
  [
    'references to one long list',
    () => encoder.encode(`[[${'{},'.repeat(50_000)}{}],${'"$0:0:49999",'.repeat(50_000)}1]`),
  ],
  ['long paths', () => encoder.encode(`[{"a":{}},${`"$0:0:a${':a'.repeat(1_000)}",`.repeat(400)}1]`)],
  [
    'many parts',
    () => writeForm(Array.from({ length: 8_000 }, (_, index) => [`${index}`, `"$${(index + 1).toString(16)}"`])),
  ],
  ['many keys', () => encoder.encode(`[{${Array.from({ length: 80_000 }, (_, index) => `"k${index}":0`).join()}}]`)],
  ['deep arrays', () => encoder.encode(`[${`${'['.repeat(9_000)}${']'.repeat(9_000)},`.repeat(50)}1]`)],
  ['many fields of FormData', () => writeForm(Array.from({ length: 8_000 }, () => [`_1_a`, '']))],
])('is bounded: %s', (_, create) => {
  const body = create();
  const begun = process.cpuUsage();
  judgeRequest({ body, contentType: body[0] === 0x2d ? contentType : 'text/plain', isCall: true, isWhole: true });
  // Alone it is a third of a second at most.
  expect(process.cpuUsage(begun).user).toBeLessThan(2_000_000);
});
