import { expect, test } from 'vitest';

import { printReport } from './print-report.ts';
import type { ResponseSizes } from './read-input.ts';
import { makeReport } from './report.ts';

const items = Array.from({ length: 400 }, (_, id) => ({
  id,
  note: `${(id * 7919) % 1000} of ${(id * 104729) % 9973}`,
}));
const bytes = new TextEncoder().encode(`1:I["m",[],"Chart"]\n0:["$","$L1",null,{"items":${JSON.stringify(items)}}]\n`);

function describe(sizes?: ResponseSizes): string {
  const report = makeReport({ title: 'GET /', bytes, chunks: [], sizes });
  return Array.from(printReport('GET /', report, (_, text) => text, false))
    .join('')
    .replaceAll(/\s+/g, ' ');
}

test('costs go by what was measured of the response, and name it', () => {
  const sent = Math.round(bytes.length / 2);
  const text = describe({ response: bytes.length, transferred: sent, codec: 'gzip' });
  expect(text).toMatch(/carries 12\.6 kB of 12\.6 kB, about 6\.\d+ kB as sent with gzip\./);
  expect(text).toContain('· names of the fields: 6 kB · note × 400: 5.11 kB · id × 400: 1.09 kB ');
});

test.each([
  ['nothing was measured', undefined],
  ['it was sent without compression', { response: bytes.length, transferred: bytes.length, codec: 'identity' }],
])('costs are estimated where %s', (_, sizes) => {
  expect(describe(sizes)).toMatch(/carries 12\.6 kB of 12\.6 kB, about [2-5]\.\d+ kB after compression\./);
});
