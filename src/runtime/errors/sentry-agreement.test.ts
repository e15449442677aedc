import { expect, it } from 'vitest';

import { computeGrouping } from './fingerprint.ts';
import type { SourceFrame } from './source-maps.ts';

/**
 * How far our grouping agrees with what Sentry's own tests expect of its own (getsentry/sentry, tests/sentry/grouping): two messages
 * that differ in a value, for each kind of value that Sentry takes out and each that it leaves; and an error as browsers report it. The
 * kinds and the decisions are Sentry's, the messages and frames are ours: the licence of Sentry's keeps them out of this repository.
 * docs/grouping.md publishes the numbers.
 */
type Decision = 'one fault' | 'two faults';
type Pair = readonly [kind: string, one: string, other: string, expected: Decision];

const messages: readonly Pair[] = [
  ['an e-mail address', 'no user ann@shop.example', 'no user ann.lee+cart@mail.shop.example', 'one fault'],
  [
    'an address',
    'GET http://shop.example failed',
    'GET http://cdn.shop.example/a/b/c.js?d=e&f=g#h failed',
    'one fault',
  ],
  [
    'one with a password',
    'GET http://shop.example failed',
    'GET http://ann:s3cRet@shop.example:10 failed',
    'one fault',
  ],
  ['one with an IPv6 address', 'GET http://10.1.2.3:80 failed', 'GET http://[2001:db8::1]:80 failed', 'one fault'],
  ['a host', 'lookup of shop.example.com failed', 'lookup of cache.example.net failed', 'one fault'],
  ['an IPv4 address', 'refused by 10.1.2.3 again', 'refused by 192.168.100.7 again', 'one fault'],
  ['a short IPv6 address', 'refused by ::1 again', 'refused by 2012:d157::cbe:908:2013 again', 'one fault'],
  ['a mapped address', 'refused by ::ffff:10.1.2.3 again', 'refused by 10.1.2.3 again', 'one fault'],
  ['a network', 'refused by fc00::/7 again', 'refused by ::1 again', 'one fault'],
  ['the unspecified address', 'listens on :: now', 'listens on ::1 now', 'one fault'],
  ['names with two colons', 'Option::unwrap() failed', 'Buffer::read() failed', 'two faults'],
  [
    'a header of a trace',
    'sent 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 on',
    'sent 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00 on',
    'one fault',
  ],
  [
    'a trace of AWS',
    'sent 1-67891233-abcdef012345678912345678 on',
    'sent 1-5759e988-bd862e3fe1be46a994272793 on',
    'one fault',
  ],
  ['a UUID', 'order 7c1811ed-e98f-4c9c-a9f9-58c757ff494f', 'order bea691f2-2e25-4bec-a838-e0c44b03d60a', 'one fault'],
  [
    'a SHA-1',
    'build 5fc35719b9cf96ec602dbc748ff31c587a46961d',
    'build a94a8fe5ccb19ba61c4c0873d391e987982fbbd3',
    'one fault',
  ],
  ['an MD5', 'file 0751007cd28df267e8e051b51f918c60', 'file e99a18c428cb38d5f260853678922e03', 'one fault'],
  ['a commit', 'commit a93c7d2 is gone', 'commit 0fe1a9b is gone', 'one fault'],
  ['a time of ISO 8601', 'closed at 2024-02-20T22:16:36', 'closed at 2026-01-02 15:04:05+01:00', 'one fault'],
  ['one with nanoseconds', 'closed at 2006-01-02T15:04:05Z', 'closed at 2026-11-26T01:02:03.999999999Z', 'one fault'],
  ['one without marks', 'closed at 20060102T150405Z', 'closed at 20261126 010203', 'one fault'],
  ['a time of mails', 'closed at Mon, 02 Jan 06 15:04 MST', 'closed at Tue, 14 Feb 2026 16:05:06 -0700', 'one fault'],
  [
    'a time of cookies',
    'closed at Monday, 02-Jan-06 15:04:05 MST',
    'closed at Friday, 13-Mar-26 10:00:00 GMT',
    'one fault',
  ],
  [
    'a time of JavaScript',
    'closed at Mon Jan 02 2006 14:04:05 GMT-0800 (Pacific Standard Time)',
    'closed at Fri Nov 27 2026 09:10:11 GMT+0000 (UTC)',
    'one fault',
  ],
  ['a day in words', 'closed on Jan 18, 2019', 'closed on Nov 2, 2026', 'one fault'],
  ['an hour and whether it is noon', 'closed at 11:21 am', 'closed at 9:08 PM', 'one fault'],
  ['an hour with and without seconds', 'closed at 23:21', 'closed at 23:21:12', 'one fault'],
  ['an hour', 'closed at 23:21', 'closed at 9:08', 'one fault'],
  ['a duration', 'took 0.100s again', 'took 1000ms again', 'one fault'],
  ['a hex number', 'at 0x9af8', 'at 0xDEADBEEF', 'one fault'],
  ['one without a prefix', 'session 9af8c3be3a', 'session 12AB34CD56EF78', 'one fault'],
  ['a short one', 'session 9af8', 'session 12AB', 'one fault'],
  ['one of letters alone', 'session deadbeef', 'session 9af8c3be', 'one fault'],
  ['words of such letters', 'the cafe is closed', 'the facade is closed', 'two faults'],
  ['a number', 'order 23 failed', 'order -1234567 failed', 'one fault'],
  ['a number with a point', 'weighs 0.23 kg', 'weighs 11.5 kg', 'one fault'],
  ['one number and three', 'rows 1', 'rows 1 2 3', 'two faults'],
  ['one of seven and one of eight digits', 'order 1234567 failed', 'order 12345678 failed', 'two faults'],
  ['a quoted value', 'a row with name="Ann Lee" is there', "a row with name='10.1.2.3 b' is there", 'one fault'],
  ['a text in quotes', "no column 'name'", "no column 'title'", 'two faults'],
  ['a flag', 'retry=true failed', 'retry=False failed', 'one fault'],
  ['a word that could be one', 'the answer is true', 'the answer is false', 'two faults'],
  ['other words', 'no table', 'no chair', 'two faults'],
];

const differsOnPurpose: ReadonlySet<string> = new Set([
  // Two hosts that are away are two faults.
  'a host',
  // Nothing but two colons may be anything.
  'the unspecified address',
  // As likely a line and a column, of which a part would be no hour.
  'an hour with and without seconds',
  // A word as often as a number.
  'one of letters alone',
  // A size or an amount is one kind of value.
  'one of seven and one of eight digits',
]);

function decide(one: Parameters<typeof computeGrouping>[0], other: typeof one): Decision {
  return computeGrouping(one).fingerprint === computeGrouping(other).fingerprint ? 'one fault' : 'two faults';
}

function decideMessages([, one, other]: Pair): Decision {
  const of = (message: string) => ({ name: 'Error', message, frames: [] });
  return decide(of(one), of(other));
}

it.each(messages)('messages that differ in %s', (...pair) => {
  const [kind, , , expected] = pair;
  expect(decideMessages(pair) === expected).toBe(!differsOnPurpose.has(kind));
});

it('agrees with Sentry about 37 of 42 kinds of messages', () => {
  const agreed = messages.filter((pair) => decideMessages(pair) === pair[3]);
  expect([agreed.length, messages.length]).toEqual([37, 42]);
});

type Told = readonly [file: string, fn: string];

/** The app's own, without a map. */
function tell(...frames: readonly Told[]) {
  const named = frames.map(([file, fn]): SourceFrame => ({ file, fn, line: 1, column: 1, inApp: true }));
  return { name: 'Error', message: 'bad', frames: named };
}

const script = '/assets/shop.js';
/** A function is called in a callback, in a function, by the script itself. */
const browsers = {
  Chrome: tell(
    [script, 'addItem'],
    [script, 'Object.onItem'],
    [script, ''],
    ['<anonymous>', 'Array.map'],
    [script, 'load'],
    [script, ''],
  ),
  Firefox: tell([script, 'addItem'], [script, 'onItem'], [script, 'load/<'], [script, 'load'], [script, '']),
  Safari: tell(
    [script, 'addItem'],
    [script, 'onItem'],
    [script, ''],
    ['[native code]', 'map'],
    [script, 'load'],
    [script, 'global code'],
  ),
};

it('agrees that an error is one fault in each browser', () => {
  expect(decide(browsers.Chrome, browsers.Firefox)).toBe('one fault');
  expect(decide(browsers.Firefox, browsers.Safari)).toBe('one fault');
});

it('disagrees where only Chrome names the class of a method: on servers it tells two methods apart', () => {
  expect(decide(tell([script, 'Cart.addItem']), tell([script, 'addItem']))).toBe('two faults');
});
