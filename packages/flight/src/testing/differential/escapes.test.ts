import { describe, expect, test } from 'vitest';

import { decodeFlight } from '../../decode-flight.ts';
import { describeFlight } from './describe-flight.ts';
import { lineNames, loadLine } from './react-lines.ts';
import { describeWithReact } from './responses.ts';

// React parses a row's JSON, and looks for `$` then. So how the JSON spells a string makes no difference.
const spellings = [
  ['a reference', '{"a":"\\u00241","b":"$1"}'],
  ['a date', '["\\u0024D2020-01-01T00:00:00.000Z"]'],
  ['an escaped dollar', '["\\u0024\\u0024x","$$x"]'],
  ['text', '["\\u0023","\\u0025","\\u00a4","\\u10024","\\\\u0024"]'],
  ['an element', '["\\u0024","div",null,{}]'],
  ['texts of eight bytes', '[["$$5€","$$6€"],["$$a\\n1","x"],["$$\\"bcd"],["$$é__"]]'],
  ['no element of eight bytes', '{"prices":["$$5€","div",null,{}]}'],
  ['a key', '{"\\u0024":"x","\\u00241":"y"}'],
] as const;

describe.each(lineNames)('React %s', (name) => {
  const line = loadLine(name, 'production');

  test.each(spellings)('reads %s however it is spelled', async (_what, json) => {
    const bytes = new TextEncoder().encode(`1:"one"\n0:${json}\n`);
    expect(describeFlight(decodeFlight(bytes))).toEqual(await describeWithReact(bytes, line));
  });
});
