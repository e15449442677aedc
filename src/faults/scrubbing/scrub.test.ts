import { describe, expect, it } from 'vitest';

import { isSensitiveKey, scrubData, scrubPath, scrubSecrets, scrubText } from './scrub.ts';

describe('scrubText takes out', () => {
  it.each([
    ['a password in a URL', 'postgres://app:hunter2@db:5432/shop', 'postgres://[Filtered]@db:5432/shop'],
    ['one with an @ in it', 'redis://:p@ss@cache/0', 'redis://[Filtered]@cache/0'],
    ['query values, not names', 'GET /search?q=my+name&page=2 500', 'GET /search?q&page 500'],
    ['values in a fragment', 'https://a.test/cb#access_token=abc&x=1', 'https://a.test/cb#access_token&x'],
    ['a query part without a name', '/x?abc=1&secretvalue', '/x?abc&[Filtered]'],
    ['a bearer token', 'sent Bearer abcdef0123456789.x-y', 'sent Bearer [Filtered]'],
    ['an authorization header', 'Authorization: Basic dXNlcjpwYXNz', 'Authorization: [Filtered]'],
    ['the same as JSON', '{"authorization":"Bearer abcdefghijk"}', '{"authorization":"[Filtered]"}'],
    ['a scheme of its own', 'Authorization: ApiKey s3cr3t\nHost: a', 'Authorization: [Filtered]\nHost: a'],
    ['a signature', 'authorization: AWS4-HMAC-SHA256 Credential=a/b, Signature=f00', 'authorization: [Filtered]'],
    [
      'a password in JSON in JSON',
      String.raw`{"body":"{\"password\":\"hunter 2\"}"}`,
      String.raw`{"body":"{\"password\":[Filtered]}"}`,
    ],
    ['a password as other languages print it', '["password" => "hunter2"]', '["password" => [Filtered]]'],
    ['a password in columns', 'password      = hunter2', 'password      = [Filtered]'],
    [
      'shorter and longer names',
      'DB_PASS=a&pass=b passphrase: c',
      'DB_PASS=[Filtered]&pass=[Filtered] passphrase: [Filtered]',
    ],
    ['a password', 'login failed: password=hunter2, retry', 'login failed: password=[Filtered], retry'],
    ['a quoted password', `{"passwd": "hunter 2"}`, `{"passwd": [Filtered]}`],
    ['an API key', 'api_key: sk_live_abc', 'api_key: [Filtered]'],
    ['a token under a longer name', 'refresh_token=abc123;', 'refresh_token=[Filtered];'],
    ['a JSON web token', 'got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc_-def!', 'got [Filtered]!'],
    ['an option of a command', 'mysql --password hunter2 --user a', 'mysql --password [Filtered] --user a'],
    ['an element of XML', '<a><password>hunter2</password></a>', '<a><password>[Filtered]</password></a>'],
    ['a pair in a list', `["token", "hunter2"], ['x','y']`, `["token", "[Filtered]"], ['x','y']`],
    ['a key of the environment', 'STRIPE_KEY=rk_1 primary_key=5', 'STRIPE_KEY=[Filtered] primary_key=5'],
    ['a key of GitHub', `pushed with ghp_${'a1B2'.repeat(9)}.`, 'pushed with [Filtered]'],
    ['a key of AWS', 'AKIAIOSFODNN7EXAMPLE is denied', '[Filtered] is denied'],
    [
      'a name that begins as a key does',
      'npm_config_user_agent1, sk-learn-2024-model',
      'npm_config_user_agent1, sk-learn-2024-model',
    ],
    ['cookies', 'Cookie: a=b; sid=c\nnext line', 'Cookie: [Filtered]\nnext line'],
    ['a cookie as JSON', '{"cookie":"a=b; c=d","x":1}', '{"cookie":"[Filtered]","x":1}'],
    ['a session', 'session=abc; sessionid: abc; sid=abc', 'session=[Filtered]; sessionid: [Filtered]; sid=[Filtered]'],
    ['what a header is checked with', 'csrf=abc xsrf-token: abc', 'csrf=[Filtered] xsrf-token: [Filtered]'],
    ['an auth value', '{"auth":"abc"} auth=abc', '{"auth":[Filtered]} auth=[Filtered]'],
    [
      'a private key',
      'key -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- end',
      'key [Filtered] end',
    ],
    ['a private key that is cut off', 'key -----BEGIN PRIVATE KEY-----\nMIIE', 'key [Filtered]'],
    ['an e-mail address', 'no user jane.doe+x@mail.example.org here', 'no user [email] here'],
    ['an IPv4 address', 'connect ECONNREFUSED 192.168.10.7:5432', 'connect ECONNREFUSED [ip]:5432'],
    ['an IPv6 address', 'from 2001:db8::8a2e:370:7334 and ::1', 'from [ip] and [ip]'],
    ['a card number', 'card 4111 1111 1111 1111 declined', 'card [Filtered] declined'],
    ['another card number', '378282246310005', '[Filtered]'],
    ['an IBAN', 'to DE89 3704 0044 0532 0130 00 failed', 'to [Filtered] failed'],
    ['a social security number', 'ssn 078-05-1120', 'ssn [Filtered]'],
    [
      'a user name in a path',
      '/home/jane/app/x.js and C:\\Users\\Jane\\x',
      '/home/[user]/app/x.js and C:\\Users\\[user]\\x',
    ],
  ])('%s', (_, text, expected) => {
    expect(scrubText(text)).toBe(expected);
  });
});

describe('scrubText leaves', () => {
  it.each([
    "TypeError: Cannot read properties of undefined (reading 'price')",
    'Unexpected token < in JSON at position 0',
    'Is this right? Yes, #4 is.',
    'Digest: 3F7K2-M9QRT',
    'at render (assets/index-4f3c2a.js:1:23456)',
    '2026-11-20T12:34:56.789Z took 1763640000123 ms',
    'order 4111111111111112 of 12:34:56',
    'version 1.2.3, build 2026.11.20.1234',
    'author of the monkey patch: keyboard',
    'tests: 3 pass: 2',
    'at f (.next/server/chunks/ssr/app_dash_@left_bad_page_1-eo5jojrul7h.js:1:145)',
    'a :: b ::c std::vector',
    'auth: the account is locked, session: expired',
    'in node_modules/.pnpm/react-dom@19.2.0_react@19.2.0/index.js',
  ])('%s', (text) => {
    expect(scrubText(text)).toBe(text);
  });
});

describe('scrubText takes out values that stand alone in a query', () => {
  it.each([
    ['GET /reset?s3cr3tvalue 500', 'GET /reset?[Filtered] 500'],
    ['https://shop.test/invite?9fK2x81aQ', 'https://shop.test/invite?[Filtered]'],
    ['search ?s3cr3tvalue', 'search ?[Filtered]'],
    ['/a?draft&s3cr3tvalue&9', '/a?draft&[Filtered]&[Filtered]'],
    ['at f (webpack:///./src/x.js?4f2a:12:7)', 'at f (webpack:///./src/x.js?[Filtered]:12:7)'],
    ['/a?q1=5&page=2', '/a?q1=&page='],
    ['/a?q1=5', '/a?q1='],
  ])('%s', (text, expected) => {
    expect(scrubText(text)).toBe(expected);
    expect(scrubText(expected)).toBe(expected);
  });

  it.each(['/src/icon.svg?react', '/a?q&page', '/a?userId&sort_by', 'what?Yes1', 'a?.b1', 'x.y?z1:w', '/a/b?'])(
    'and leaves %s',
    (text) => {
      expect(scrubText(text)).toBe(text);
    },
  );
});

describe('scrubText takes out secrets, however they are spelled', () => {
  it.each([
    ['a name', 'body %70assword=hunter2&a=1'],
    ['a letter in it', 'body pass%77ord=hunter2'],
    ['a small digit', 'body api%5fkey=hunter2'],
    ['the equals sign', 'body password%3Dhunter2'],
    ['the same in a query', '/login?password%3Dhunter2'],
    ['the question mark', '/login%3Ftoken=hunter2'],
    ['a part of a nested query', 'next=%2Flogin%3Fa%3D1%26token%3Dhunter2%26b%3D2'],
    ['twice', 'body pass%2577ord%253Dhunter2'],
    ['three times, in parts', 'body pass%25%32%3577ord=hunter2'],
    ['a value with a space', 'password%3Dhunter%20hunter2'],
    ['in JSON', String.raw`{"pass\u0077ord":"hunter2"}`],
    ['JSON in a query', '%7B%22password%22%3A%22hunter2%22%7D'],
    ['a scheme', 'Bearer%20abcdefhunter2'],
    ['credentials in an address', 'postgres%3A%2F%2Fapp:hunter2%40db/shop'],
    ['an e-mail address', 'GET /users/hunter2%40mail.example.org'],
  ])('%s', (_, text) => {
    const scrubbed = scrubText(text);
    expect(scrubbed).not.toContain('hunter2');
    expect(scrubText(scrubbed)).toBe(scrubbed);
    expect(scrubSecrets(text)).not.toContain('hunter2');
  });

  it('in paths and as names of data', () => {
    expect(scrubPath('/users/jane%40mail.example.org')).toBe('/users/[email]');
    for (const name of ['%70assword', 'pass%2577ord', 'api%5fkey', 'api+key', 'api%20key']) {
      expect(scrubData({ [name]: 'hunter2' })).toEqual({ [name]: '[Filtered]' });
    }
  });

  it.each(['/a%20b/50%25', 'GET /caf%C3%A9?q&page', '100%', '%zz %4', String.raw`C:\u0041`, 'a%3Db'])(
    'and leaves %s as it is spelled',
    (text) => {
      expect(scrubText(text)).toBe(text);
    },
  );
});

describe('scrubSecrets takes out of texts of servers', () => {
  it.each([
    ['an e-mail address', 'no user jane@mail.example.org', 'no user [email]'],
    ['a card number', 'card 4111 1111 1111 1111 declined', 'card [Filtered] declined'],
    ['an IBAN', 'to DE89 3704 0044 0532 0130 00 failed', 'to [Filtered] failed'],
    ['a social security number', 'ssn 078-05-1120', 'ssn [Filtered]'],
    ['a cookie', 'sent Set-Cookie: phpsessid=298zf; Path=/', 'sent Set-Cookie: [Filtered]'],
    ['a password', 'MYSQL_PWD=hunter2', 'MYSQL_PWD=[Filtered]'],
  ])('%s', (_, text, expected) => {
    expect(scrubSecrets(text)).toBe(expected);
  });

  it('and keeps the addresses and paths that a server error is about', () => {
    const text = 'connect ECONNREFUSED 10.0.0.7:5432 as postgres://app:hunter2@10.0.0.7/shop in /home/app/db.js';
    expect(scrubSecrets(text)).toBe(
      'connect ECONNREFUSED 10.0.0.7:5432 as postgres://[Filtered]@10.0.0.7/shop in /home/app/db.js',
    );
  });
});

/** Nanoseconds per character, the quickest of several rounds: time that other processes take does not count. */
function measure(work: (text: string) => unknown, text: string): number {
  const rounds = Array.from({ length: 7 }, () => {
    const start = performance.now();
    work(text);
    return performance.now() - start;
  });
  return (Math.min(...rounds) * 1e6) / text.length;
}

function repeat(part: string, length: number): string {
  return part.repeat(Math.ceil(length / part.length));
}

describe('scrubbing costs about the same for each character, whatever it stands among', () => {
  const reference = measure((text) => text.replace(/[^]/g, (character) => character), repeat('plain text ', 32_768));
  const label = 'a'.repeat(63);

  /**
   * Runs of what an expression takes, without what it waits for; beginnings without ends; and whole matches. The worst
   * of them take twice as long as the reference. Looking 64 characters ahead at each character would take ten times as
   * long, and 2,048 characters fifty times.
   */
  const parts = [
    ['a', '1', '4', '/', '?', '&', ':', '@', '-', ' ', '#', '\n', '"', 'é', 'a ', '::', 'a:', '1:', 'f:', '1111:'],
    ['a@', '@a', 'a@a', 'a.', 'a.a@', 'x@a.', 'a+', 'a-', 'a.b-c+', `a@${label}`, `${label}@${label}`, 'a@b.c '],
    ['a://', '://', `://${repeat('a', 255)}`, 'aaaaaaaaaaaaaaaaaaaa://', 'a://b@', '?a=', '?=&', '&a'],
    ['eyJ', 'eyJ-', 'eyJaaaaaaaa.', 'eyJaaaaaaaa.eyJ-', `${repeat('eyJ-', 80)}.`, 'eyJaaaaaaaa.aaaaaaaa'],
    [
      'password=',
      'pass',
      'secret',
      'password   ',
      'token="',
      'secret="secret=\'',
      'pwd=a,',
      'bearer ',
      'bearer aaaaaaaa',
    ],
    ['authorization:   bearer   ', '-----BEGIN A-----', `-----BEGIN ${repeat('A', 40)}`, `-----END ${repeat('A', 40)}`],
    [
      'cookie: ',
      'cookie:',
      `cookie: ${repeat('a', 5000)}`,
      'session="',
      'auth',
      'auth="',
      'sid',
      "csrf='",
      '@a.aa',
      `@${'a.'.repeat(9)}`,
    ],
    ['DE89', 'DE89 ', 'AA00 AAAA ', '4111 ', '41111', '4-', '1.', '1.1.1.1 ', '::1 ', '1-', '111-11-', '/home/'],
  ].flat();
  it.each(parts)('%j', (part) => {
    expect(measure(scrubText, repeat(part, 32_768)) / reference).toBeLessThan(6);
  });
});

describe('scrubbed text is hardly longer than it was', () => {
  it.each(['?=&', '&', 'a://b@', 'pwd=a,', '::1 ', 'a@b.c '])('%j', (part) => {
    const text = repeat(part, 8192);
    expect(scrubText(text).length).toBeLessThanOrEqual(2.5 * text.length);
  });
});

describe('isSensitiveKey', () => {
  it.each([
    'Authorization',
    'x-api-key',
    'sessionId',
    'set-cookie',
    'user_password',
    'csrfToken',
    'sid',
    'email',
    'body',
    'passwd',
    'credentials',
    'mysql_pwd',
    'privateKey',
    'private-key',
    'otp',
    'two-factor',
    '__session',
    'PHPSESSID',
    'irissessionid',
    'fasthttpsessionid',
    'sentrysid',
    '_vercel_jwt',
    '__Host-id',
    'su',
    'sudo',
    'remote_addr',
    'ip_address',
    'client.address',
    'x-real-ip',
    'phone',
  ])('hides %s', (key) => expect(isSensitiveKey(key)).toBe(true));
  it.each([
    'key',
    'keyboard',
    'url',
    'method',
    'status_code',
    'from',
    'to',
    'sidebar',
    'description',
    'ship',
    'result',
  ])('shows %s', (key) => expect(isSensitiveKey(key)).toBe(false));
});

describe('scrubPath', () => {
  it.each([
    ['https://shop.test/a/b?token=1#x', '/a/b'],
    ['/a/b?c=d', '/a/b'],
    ['http://user:pw@host/x', '/x'],
    ['', ''],
    ['GET checkout', ''],
    ['//evil.test/x', '/x'],
    ['about:blank', ''],
    ['javascript:alert(1)', ''],
    ['http://[', ''],
    ['/users/jane@example.org', '/users/[email]'],
    ['/home/settings', '/home/settings'],
  ])('%s', (url, path) => expect(scrubPath(url)).toBe(path));
});

describe('scrubData', () => {
  it('gives flat text, with the values of sensitive keys taken out', () => {
    const data = {
      url: '/api/basket?user=7',
      status_code: 502,
      ok: false,
      nothing: null,
      request: { headers: { cookie: 'a=b' }, size: 12 },
      token: { nested: 'abc' },
      list: ['x', 'mail jane@example.org'],
    };
    expect(scrubData(data)).toEqual({
      url: '/api/basket?user',
      status_code: '502',
      ok: 'false',
      'request.headers': '[Filtered]',
      'request.size': '12',
      token: '[Filtered]',
      'list.0': 'x',
      'list.1': 'mail [email]',
    });
  });

  it('takes out the value of a pair whose name is sensitive', () => {
    const data = {
      list: [
        ['x-api-key', 'hunter2'],
        ['accept', 'text/html'],
      ],
      fields: [
        { name: 'password', value: 'hunter2' },
        { key: 'size', value: 'L' },
      ],
    };
    expect(scrubData(data)).toEqual({
      'list.0': '[Filtered]',
      'list.1.0': 'accept',
      'list.1.1': 'text/html',
      'fields.0': '[Filtered]',
      'fields.1.key': 'size',
      'fields.1.value': 'L',
    });
  });

  it('stops at depth 3, at 20 entries, and at 512 characters', () => {
    expect(scrubData({ a: { b: { c: { d: 1 } }, e: { f: [] } } })).toEqual({ 'a.b.c': '[Object]', 'a.e.f': '[Array]' });
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, 'v']));
    expect(Object.keys(scrubData(many))).toHaveLength(20);
    expect(scrubData({ long: 'x'.repeat(100_000) })['long']).toHaveLength(512);
  });

  it('takes out what has a name that is none', () => {
    expect(scrubData({ ['n'.repeat(257)]: 'x', ['m'.repeat(256)]: 'y' })).toEqual({
      ['n'.repeat(64)]: '[Filtered]',
      ['m'.repeat(64)]: 'y',
    });
  });

  it('takes text and numbers for no data, and `__proto__` for a name', () => {
    expect(scrubData('text')).toEqual({});
    const hostile: unknown = JSON.parse('{"__proto__":{"polluted":"yes"}}');
    scrubData(hostile);
    expect({}).not.toHaveProperty('polluted');
  });
});
