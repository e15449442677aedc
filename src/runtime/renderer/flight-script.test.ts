import { runInNewContext } from 'node:vm';

import { describe, expect, it } from 'vitest';

import type { FlightChunk } from './flight.ts';
import { openScript, toFlightScript } from './flight-script.ts';

/** What a browser's Flight client would read from the script, as bytes. */
function runScript(html: string): Uint8Array {
  const match = /^<script>(.*)<\/script>$/s.exec(html);
  if (!match?.[1]) throw new Error(`Not one script: ${html}`);
  const pushed: unknown[] = [];
  runInNewContext(match[1], { self: { __FLIGHT_DATA: pushed }, atob, Uint8Array });
  return Buffer.concat(
    pushed.map((entry) => {
      if (typeof entry === 'string') return Buffer.from(entry);
      if (entry instanceof Uint8Array) return entry;
      throw new Error('Neither text nor bytes');
    }),
  );
}

function toBytes(chunks: readonly FlightChunk[]): Uint8Array {
  return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)));
}

describe('toFlightScript', () => {
  it('is nothing for no rows', () => {
    expect(toFlightScript([], '<script>')).toBe('');
    expect(toFlightScript([new Uint8Array()], '<script>')).toBe('');
  });

  it.each([
    ['text that ends a script', ['0:"</script><!-- <SCRIPT> </ScRiPt>"\n']],
    ['wide text, line separators, quotes and backslashes', ['☃ \u2028\u2029 "\\" 👩‍🚀']],
    ['a byte order mark at a chunk’s start', [Buffer.from('\uFEFFa'), '\uFEFFb']],
    ['a long text between buffers', [Buffer.from('1:T1770,'), 'x☃'.repeat(3000), Buffer.from('2:{}\n')]],
    [
      'bytes that are not text, between text',
      [Buffer.from('3:o4,'), Uint8Array.of(0xff, 0xc3, 0x28, 0), Buffer.from('4:1\n')],
    ],
    ['a wide character cut in two by a typed array before it', [Uint8Array.of(0xe2, 0x98), Uint8Array.of(0x83, 0x0a)]],
  ])('brings every byte across: %s', (_name, chunks: FlightChunk[]) => {
    const script = toFlightScript(chunks, '<script>');
    expect(Buffer.from(runScript(script))).toEqual(toBytes(chunks));
    expect(script.slice('<script>'.length, -'</script>'.length)).not.toMatch(/<!--|<\/?script/i);
  });
});

describe('openScript', () => {
  it('carries the nonce, which cannot leave its attribute', () => {
    expect(openScript(undefined)).toBe('<script>');
    expect(openScript('r4nd0m+/=')).toBe('<script nonce="r4nd0m+/=">');
    expect(openScript('"><img>')).toBe('<script nonce="&#34;&#62;&#60;img&#62;">');
  });
});
