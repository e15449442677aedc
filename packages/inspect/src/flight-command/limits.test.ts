import { createHash } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { checkLimits, readBudget, type Limits } from './limits.ts';
import { makeReport } from './report.ts';

function report(text: string) {
  return makeReport({ title: '', bytes: new TextEncoder().encode(text), chunks: [] });
}

const long = 'The same sentence, long enough to be worth a row of its own. '.repeat(20);
const twice = `0:[${JSON.stringify(long)},${JSON.stringify(long)}]\n`;

describe('a budget file', () => {
  test.each<[string, Limits]>([
    ['{}', {}],
    ['{"maxBytes":5}', { maxBytes: 5 }],
    [
      '{"maxBytes":"1.5MiB","maxGzip":"40kB","maxDuplicates":0}',
      { maxBytes: 1_572_864, maxGzip: 40_000, maxDuplicates: 0 },
    ],
    ['{"$schema":"x","noDuplicates":true,"noErrors":false}', { noDuplicates: true, noErrors: false }],
  ])('%s', (text, limits) => {
    expect(readBudget(text)).toEqual({ kind: 'limits', limits });
  });

  test.each([
    ['', 'it is not JSON'],
    ['[]', 'it must be an object'],
    ['null', 'it must be an object'],
    ['{"maxByte":5}', 'there is no limit maxByte'],
    ['{"maxBytes":"a lot"}', 'maxBytes must be a size such as 150000, "150kB" or "1.5MiB"'],
    ['{"maxGzip":-1}', 'maxGzip must be a size such as 150000, "150kB" or "1.5MiB"'],
    ['{"maxGzip":null}', 'maxGzip must be a size such as 150000, "150kB" or "1.5MiB"'],
    ['{"noErrors":"yes"}', 'noErrors must be true or false'],
  ])('%s: %s', (text, reason) => {
    expect(readBudget(text)).toEqual({ kind: 'wrong', reason });
  });
});

/** Texts that have nothing in common, each in two orders: a second copy costs a reference of its own. */
const labels = Array.from({ length: 800 }, (_, item) =>
  createHash('sha256').update(String(item)).digest('base64').slice(0, 38),
);
/** Put together here, so that whoever looks for keys in repositories finds none. */
const secret = ['sk_live', '9aKq3LmZ7xTb2VwRc8YpJd4N'].join('_');
const labelsTwice = `0:{"a":${JSON.stringify(labels)},"b":${JSON.stringify(labels.toSorted())}}\n`;

describe('what exceeds', () => {
  test.each<[string, string, Limits, readonly string[]]>([
    ['nothing', twice, {}, []],
    ['at the limit', '0:"a"\n', { maxBytes: 6 }, []],
    ['bytes', '0:"a"\n', { maxBytes: 5 }, ['it has 6 bytes, 1 over the limit of 5']],
    ['gzip', '0:"a"\n', { maxGzip: 20 }, ['with gzip it has 26 bytes, 6 over the limit of 20']],
    ['within gzip', twice, { maxGzip: 200 }, []],
    ['duplicates', twice, { maxDuplicates: 1000 }, ['it sends again 1,222 bytes, 222 over the limit of 1,000']],
    [
      'a finding of duplicates',
      labelsTwice,
      { noDuplicates: true },
      [
        expect.stringMatching(
          /^800 values are sent more than once: 32 kB of 65\.\d kB, about \d+\.\d kB after compression$/,
        ),
      ],
    ],
    ['duplicates that compression takes away', twice, { noDuplicates: true }, []],
    ['duplicates too small for a finding', '0:["abc","abc"]\n', { noDuplicates: true }, []],
    ['errors', '0:"$L1"\n1:E{"digest":"x"}\n', { noErrors: true }, ['it has 1 error row']],
    ['errors that may be', '0:"$L1"\n1:E{"digest":"x"}\n', { noErrors: false }, []],
    [
      'a secret',
      `0:["$","p",null,{"key":"${secret}"}]\n`,
      { noSecrets: true },
      ['There is a secret key of Stripe in key of <p>'],
    ],
    ['a secret that may be', `0:["$","p",null,{"key":"${secret}"}]\n`, {}, []],
    ['a redirect', '0:"$L1"\n1:E{"digest":"NEXT_REDIRECT;replace;/login;307;"}\n', { noErrors: true }, []],
    ['a page that is not found', '0:"$L1"\n1:E{"digest":"NEXT_HTTP_ERROR_FALLBACK;404"}\n', { noErrors: true }, []],
    [
      'several',
      '0:["$L1","$L2"]\n1:E{"digest":"x"}\n2:E{"digest":""}\n',
      { maxBytes: 0, noErrors: true },
      ['it has 51 bytes, 51 over the limit of 0', 'it has 2 error rows'],
    ],
  ])('%s', (_, payload, limits, lines) => {
    expect(checkLimits(report(payload), limits)).toEqual(lines);
  });
});
