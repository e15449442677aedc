import { expect, test } from 'vitest';

import { readOptions } from './options.ts';

test('has everything on, at /_flight, unless it is told otherwise', () => {
  const parts = { digests: true, recorder: true, navigation: true, actions: true, reports: true, serverTime: false };
  const unset = { app: undefined, data: undefined, to: undefined };
  expect(readOptions(undefined)).toEqual({
    ...unset,
    mount: '/_flight',
    strictActions: false,
    blockForged: undefined,
    parts,
  });
  expect(readOptions({ navigation: false, mount: '/tools/flight', app: 'my-shop', strictActions: true })).toEqual({
    ...unset,
    mount: '/tools/flight',
    app: 'my-shop',
    strictActions: true,
    blockForged: undefined,
    parts: { ...parts, navigation: false },
  });
  expect(readOptions({ mount: false }).mount).toBe(false);
  expect(readOptions({ blockForged: 'pass' }).blockForged).toBe('pass');
  expect(readOptions({ serverTime: true }).parts.serverTime).toBe(true);
});

test.each([
  [
    { mont: '/x' },
    'there is no option "mont"; there are digests, recorder, navigation, actions, reports, serverTime, mount',
  ],
  [{ digests: 'yes' }, 'digests is "yes"; use true or false'],
  [{ strictActions: 1 }, 'strictActions is 1; use true or false'],
  [{ blockForged: true }, 'blockForged is a value of type boolean; use "pass" or "refuse", or leave it out'],
  [{ reports: {} }, 'reports is a value of type object; use true or false'],
  [{ mount: '' }, '"" cannot be a mount path: use segments of'],
  [{ mount: '/' }, '"/" cannot be a mount path: use segments of'],
  [{ mount: '/flight/' }, '"/flight/" cannot be a mount path: use segments of'],
  [{ mount: 'flight' }, '"flight" cannot be a mount path: use segments of'],
  [{ mount: '/a/../b' }, '"/a/../b" cannot be a mount path: use segments of'],
  [{ mount: '/a b' }, '"/a b" cannot be a mount path: use segments of'],
  [{ mount: true }, 'mount is a value of type boolean; use a path such as "/_flight"'],
  [{ mount: '/_layout' }, '"/_layout" cannot be a mount path: "_layout" is a name of Waku\'s own; use another one'],
  [{ mount: '/RSC' }, 'mount is "/RSC", which is Waku\'s; use another path'],
  [{ mount: '/assets/flight' }, 'mount is "/assets/flight", which is Waku\'s; use another path'],
  [{ app: 'My Shop' }, 'app is "My Shop"; use up to 40 lower-case letters, digits and single hyphens'],
  [{ data: '' }, 'data is ""; use a text that is not empty'],
  [
    { actions: false, strictActions: true },
    'strictActions is true, and actions is false: browsers then post actions to',
  ],
  ['/_flight', 'its options are not an object'],
])('says in one line what is wrong with %j', (given, message) => {
  expect(() => readOptions(given)).toThrow(`flightRecorder(): ${message}`);
  expect(() => readOptions(given)).not.toThrow('\n');
});

test('refuses an id of the app that is not the one at the recorder elsewhere', () => {
  const to = 'https://thekey1@host.example/shop';
  expect(readOptions({ to, app: 'shop' }).app).toBe('shop');
  expect(() => readOptions({ to, app: 'blog' })).toThrow(
    /^flightRecorder\(\): app is "blog", and to names "shop"; leave out app, or use the one that to names$/,
  );
});

test('never repeats the address of a recorder, which holds a key', () => {
  const to = 'https://thekey1@host.example/app';
  expect(readOptions({ to }).to).toBe(to);
  expect(() => readOptions({ to: 'ftp://thekey1@host.example/app' })).toThrow(
    'flightRecorder(): to is not of the form https://<key>@<host>/<app>',
  );
});
