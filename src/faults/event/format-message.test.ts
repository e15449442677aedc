import { describe, expect, it } from 'vitest';

import { readEvent } from './read-event.ts';

function read(logentry: object) {
  return readEvent({ logentry }, { side: 'server' });
}

describe('a log entry is shown with its parameters', () => {
  it.each([
    ['Order %s of %s failed', ['4711', 'ada'], 'Order 4711 of ada failed'],
    ['%(count)d orders of %(name)s', { name: 'ada', count: 3 }, '3 orders of ada'],
    ['{0} before {1}, {0}', ['a', 'b'], 'a before b, a'],
    ['{} before {}', ['a', 'b'], 'a before b'],
    ['{name:>8} failed with {error!r}', { name: 'ada', error: 7 }, 'ada failed with 7'],
    ['took %.2f of %5d ms, code %x', [1.005, 20, 255], 'took 1.00 of 20 ms, code ff'],
    ['%s is 100%% done', ['a'], 'a is 100% done'],
    ['100% of {0} {{left}}', ['a'], '100% of a {left}'],
    ['got %s and %s', [{ order: { id: 7 } }, [1, 'b']], 'got {order.id: 7} and [1, b]'],
    ['%s and %s', [null, true], 'null and true'],
    ['%s of %s', ['one'], 'one of %s'],
    ['{name} of {toString}', { name: 'one' }, 'one of {toString}'],
    ['50%s off', [], '50%s off'],
    ['50%s off', 'text', '50%s off'],
  ])('%s with %j', (message, params, expected) => {
    expect(read({ message, params })?.message).toBe(expected);
  });

  it('but as its SDK formatted it, where it did', () => {
    expect(read({ message: 'a %s', params: ['b'], formatted: 'A: b' })).toMatchObject({
      message: 'A: b',
      template: 'a %s',
    });
  });

  it('without secrets: those in values, and the values of keys that are named so', () => {
    const values = 'password=hunter2 jane@mail.example.org';
    expect(read({ message: 'failed: %s', params: [values] })?.message).toBe('failed: password=[Filtered] [email]');
    // Split, neither half is a secret.
    expect(read({ message: 'password=%s', params: ['hunter2'] })?.message).toBe('password=[Filtered]');
    expect(read({ message: 'Bearer %s%s', params: ['abcdef01', '23456789'] })?.message).toBe(
      '[Filtered]'.padStart(17, 'Bearer '),
    );
    const named = read({ message: 'login of %(apiToken)s: %(data)s', params: { apiToken: 'x7', data: { pwd: 'y8' } } });
    expect(named?.message).toBe('login of [Filtered]: {pwd: [Filtered]}');
    expect(read({ message: 'for jane@mail.example.org: %s', params: ['x'] })?.template).toBe('for [email]: %s');
  });
});

describe('faults are told apart by the pattern', () => {
  it.each([
    ['Order %s failed', 'Order %s failed'],
    // All that is logged with it would be one fault.
    ['%s: %(name)s {} %%', undefined],
  ])('%s', (message, expected) => {
    expect(read({ message, params: ['a', 'b'] })?.template).toBe(expected);
  });

  it('but not when an error was thrown', () => {
    const exception = { values: [{ type: 'Error', value: 'thrown' }] };
    const event = { exception, logentry: { message: 'saw %s', params: ['x'] } };
    expect(readEvent(event, { side: 'server' })).toMatchObject({ message: 'thrown', template: undefined });
  });
});

describe('of hostile parameters', () => {
  const long = 'x'.repeat(500_000);
  const makeWide = (length: number) => Object.fromEntries(Array.from({ length }, (_, n) => [`k${n}`, n]));
  const deep: unknown = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`);

  it.each([
    ['long texts', '%s '.repeat(2_700), Array.from({ length: 200 }, () => long)],
    ['one object, named a thousand times', '{0}'.repeat(2_700), [makeWide(13_000)]],
    // An envelope has at most 40,000 parts.
    ['many objects', '%s'.repeat(4_000), Array.from({ length: 64 }, () => makeWide(300))],
    ['deep lists', '%s'.repeat(4_000), [deep, deep]],
    ['placeholders that never end', `%(${'('.repeat(8_000)}`, { a: 1 }],
    ['flags that never end', `%${'0'.repeat(8_000)}`, ['a']],
    ['braces that never end', '{'.repeat(8_000), ['a']],
  ])('%s: the message is bounded, and made within the time of one request', (_, message, params) => {
    read({ message, params });
    let fastest = Number.POSITIVE_INFINITY;
    for (let run = 0; run < 3; run += 1) {
      const start = process.cpuUsage();
      expect(read({ message, params })?.message.length).toBeLessThanOrEqual(8_192);
      const { user, system } = process.cpuUsage(start);
      fastest = Math.min(fastest, (user + system) / 1000);
    }
    expect(fastest).toBeLessThan(25);
  });
});
