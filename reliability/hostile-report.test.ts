import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { tunnelPath } from '../src/server/http/addresses.ts';

import { startServer } from './testing/start-server.ts';

/**
 * Anyone may post a report of nearly a megabyte, and reading it must not delay other requests. Times on a shared
 * machine are not exact. So each is compared with the time for a report of the same size that is one long text: both
 * include the same transport. Now the worst reports take twice as much. Before scrubbing was linear in the text's
 * length, and before the parts of the JSON were counted, they took 12 to 67 times as much, and the server began to
 * refuse reports.
 */
const bytes = 980 * 1024;

function repeat(part: string, length: number): string {
  return part.repeat(Math.ceil(length / part.length)).slice(0, length);
}

/** Each text of a report at its limit, made of `part`. */
function fillWith(part: string): string {
  const data = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, repeat(part, 460)]));
  const frames = Array.from({ length: 25 }, (_, index) => ({ filename: repeat(part, 1024), lineno: index + 1 }));
  return JSON.stringify({
    exception: { values: [{ type: repeat(part, 256), value: repeat(part, 8192), stacktrace: { frames } }] },
    breadcrumbs: Array.from({ length: 96 }, (_, index) => ({ timestamp: 1 + index, message: repeat(part, 512), data })),
  });
}

const label = 'a'.repeat(63);
const events = {
  plain: JSON.stringify({ message: repeat('one long text ', bytes) }),
  'e-mail addresses without an end': fillWith(`${label}@${label}`),
  'letters alone': fillWith('a'),
  'web tokens in one another': fillWith('eyJ-'),
  'objects with a key of their own': `{"message":"x","extra":[${Array.from({ length: 90_000 }, (_, index) => `{"${index.toString(36)}":1}`).join(',')}]}`,
  'causes, each looked for in each argument of each long line': JSON.stringify({
    exception: {
      values: Array.from({ length: 300 }, (_, index) => ({ type: 'E', value: `${index} ${repeat('ab', 118)}c` })),
    },
    breadcrumbs: Array.from({ length: 30 }, () => ({
      category: 'console',
      message: repeat('ab', 26_000),
      data: { arguments: Array.from({ length: 20 }, () => ({ digest: '1', message: '' })) },
    })),
  }),
} as const;

/** Of an address of its own each: one owes for what is large. */
let posts = 0;

function nextAddress(): string {
  posts += 1;
  return `127.0.${2 + (posts >> 8)}.${posts & 255}`;
}

/** Posts one report. @returns how long the answer took, in milliseconds; undefined when the server has too much to do or had too many */
function postOnce(port: number, event: string): Promise<number | undefined> {
  const body = `{}\n{"type":"event"}\n${event}`;
  const headers = { host: `127.0.0.1:${port}`, 'content-length': String(Buffer.byteLength(body)) };
  const to = { host: '127.0.0.1', port, localAddress: nextAddress(), agent: false };
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request({ ...to, method: 'POST', path: tunnelPath, headers }, (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - start);
        else if (response.statusCode === 503 || response.statusCode === 429) resolve(undefined);
        else reject(new Error(`${response.statusCode} ${response.headers['x-sentry-error']}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Repeats until it is taken: where other tests or processes keep the machine busy, reports are refused first. */
async function post(port: number, event: string): Promise<number> {
  for (const deadline = performance.now() + 20_000; performance.now() < deadline; await wait(200)) {
    const time = await postOnce(port, event);
    if (time !== undefined) return time;
  }
  throw new Error('the report was not taken within 20 s');
}

test('no report of a megabyte takes the server much longer than another', async () => {
  await using server = await startServer();
  const times = new Map<string, number[]>();
  for (let round = 0; round < 3; round += 1) {
    for (const [name, event] of Object.entries(events)) {
      expect(event.length).toBeLessThan(1024 * 1024 - 100);
      times.set(name, [...(times.get(name) ?? []), await post(server.port, event)]);
    }
  }
  const quickest = new Map([...times].map(([name, all]) => [name, Math.min(...all)]));
  const plain = quickest.get('plain') ?? 0;
  const slow = [...quickest].filter(([, time]) => time > 6 * plain);
  expect(slow).toEqual([]);
});
