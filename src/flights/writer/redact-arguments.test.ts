import { describe, expect, it } from 'vitest';

import { coverSecrets } from './cover-secrets.ts';
import { redactArguments } from './redact-arguments.ts';
import { isSecretName } from '../flight/secret-names.ts';

const secret = 'hunter2-correct-horse';

function redactText(value: unknown): string {
  return Buffer.from(redactArguments(Buffer.from(JSON.stringify(value)), 'text/plain;charset=UTF-8')).toString();
}

async function redactForm(form: FormData): Promise<{ before: Buffer; after: Buffer }> {
  const response = new Response(form);
  const before = Buffer.from(await response.arrayBuffer());
  return { before, after: Buffer.from(redactArguments(before, response.headers.get('content-type') ?? '')) };
}

describe('isSecretName', () => {
  it.each([
    'password',
    'newPassword',
    'user_passwd',
    '1_password',
    'api_key',
    'apiKey',
    'apikey',
    'Authorization',
    'authToken',
    'card-number',
    'cardNumber',
    'cvv',
    'ctl00$pin',
    'ssn',
    'session.id',
    'clientSecret',
  ])('%s is one', (name) => expect(isSecretName(name)).toBe(true));

  it.each([
    'name',
    'author',
    'shipping',
    'spinner',
    'monkey',
    'keyboard',
    'discard',
    'compass',
    '$ACTION_KEY',
    '$ACTION_1:0',
  ])('%s is none', (name) => expect(isSecretName(name)).toBe(false));
});

describe('arguments as JSON', () => {
  it('lose the values of secret properties, however deep, and nothing else', () => {
    const kept = redactText([{ name: 'ann', login: { password: secret, tries: 3 } }, ['token', secret], 'plain']);
    expect(JSON.parse(kept)).toEqual([
      { name: 'ann', login: { password: '[Filtered]', tries: 3 } },
      ['token', '[Filtered]'],
      'plain',
    ]);
  });

  it('that are no JSON are not kept at all', () => {
    expect(Buffer.from(redactArguments(Buffer.from(`password=${secret}`), 'text/plain')).toString()).not.toContain(
      secret,
    );
  });

  it('that are nested without end do not end the writer', () => {
    const deep = '['.repeat(5_000) + ']'.repeat(5_000);
    expect(() => redactArguments(Buffer.from(deep), 'text/plain')).not.toThrow();
  });
});

describe('arguments as a form', () => {
  it('lose the values of secret fields, byte for byte', async () => {
    const form = new FormData();
    form.set('$ACTION_ID_abc#save', '');
    form.set('name', 'ann');
    form.set('password', secret);
    form.set('1_cardNumber', '4111 1111 1111 1111');
    form.set('empty_token', '');
    form.set('photo', new File([`bytes ${secret.slice(0, 3)}`], 'photo.png'));
    const { before, after } = await redactForm(form);
    expect(after.length).toBe(before.length);
    expect(after.includes(secret)).toBe(false);
    expect(after.includes('4111')).toBe(false);
    expect(after.includes('*'.repeat(secret.length))).toBe(true);
    expect(after.includes('name="name"\r\n\r\nann\r\n')).toBe(true);
    expect(after.includes('bytes hun')).toBe(true);
    expect(after.includes('$ACTION_ID_abc#save')).toBe(true);
  });

  it('lose the secrets in numbered parts, and what those refer to', async () => {
    const form = new FormData();
    form.set('1', JSON.stringify([['password', secret]]));
    form.set('10', JSON.stringify({ inner: secret }));
    form.set('0', JSON.stringify([{ map: '$Q1', credentials: '$a', name: 'ann' }]));
    const { before, after } = await redactForm(form);
    expect(after.length).toBe(before.length);
    expect(after.includes(secret)).toBe(false);
    expect(after.includes('"name":"ann"')).toBe(true);
  });

  it('lose everything when the boundary is unknown', () => {
    const bytes = redactArguments(Buffer.from(secret), 'multipart/form-data');
    expect(Buffer.from(bytes).includes(secret)).toBe(false);
  });
});

describe('coverSecrets', () => {
  it('covers a secret parameter wherever the payload shows it, and keeps every length', () => {
    const payload = Buffer.from(
      `0:{"ROUTE":["/reset","token=${encodeURIComponent(`${secret}/ä`)}&page=1"],"x":"${secret}/ä"}\n`,
    );
    const length = payload.length;
    coverSecrets(payload, [{ name: 'token', value: `${secret}/ä` }]);
    expect(payload.length).toBe(length);
    expect(payload.includes(secret)).toBe(false);
    expect(payload.toString()).toContain('token=*');
    expect(payload.toString()).toContain('&page=1');
  });

  it.each([
    ['small digits', 'token=abc%2fdef%3d'],
    ['letters that need no escape', 'token=%61bc%2F%64ef%3D'],
    ['twice', 'token%3Dabc%252Fdef%253D'],
    ['each digit of an escape', 'token=abc%25%32%46def='],
    ['of JSON', String.raw`token=abc\/def\u003d`],
    ['of JSON, of an escape', String.raw`token=abc\u00252Fdef=`],
    ['of HTML', 'token=abc/def&#x3D;'.replace('&#x3D;', '=')],
  ])('covers a value in another spelling: %s', (_, query) => {
    const text = `0:{"ROUTE":["/reset","${query}"],"page":"1"}\n`;
    const payload = Buffer.from(text);
    coverSecrets(payload, [{ name: 'token', value: 'abc/def=' }]);
    expect(payload).toHaveLength(text.length);
    expect(payload.toString()).toMatch(/^0:\{"ROUTE":\["\/reset","token(?:=|%3D)\*+"\],"page":"1"\}\n$/);
  });

  it('covers a value with spaces and marks, as queries, JSON and HTML write them', () => {
    for (const spelled of ['a+b%26c%22é', 'a%20b&amp;c&quot;é', String.raw`a b&c\"\u00e9`, 'a b%26c%22%C3%A9']) {
      const payload = Buffer.from(`<${spelled}>`);
      coverSecrets(payload, [{ name: 'token', value: 'a b&c"é' }]);
      expect(payload.toString()).toMatch(/^<\*+>$/);
    }
  });

  it('covers a value across the windows in which a payload is read', () => {
    for (const before of [65_530, 65_535, 65_536, 131_060]) {
      const payload = Buffer.from(`${'x'.repeat(before)}abc%2fdef%3d!`);
      coverSecrets(payload, [{ name: 'token', value: 'abc/def=' }]);
      expect(payload.toString('latin1', before)).toBe(`${'*'.repeat(12)}!`);
    }
  });

  it.each([
    ['nothing to decode', 'x'],
    ['escapes of escapes', '%25'],
    ['beginnings of escapes', '%'],
    ['marks of HTML', '&am'],
    ['marks of JSON', String.raw`\u00`],
  ])('reads a payload of %s once', (_, part) => {
    const payload = Buffer.from(part.repeat(1024 * 1024).slice(0, 1024 * 1024));
    const started = process.cpuUsage();
    coverSecrets(payload, [{ name: 'token', value: `${'%'.repeat(4_000)}a` }]);
    // 30 to 60 ms on a busy machine: it is the writing thread's.
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(400);
  });

  it('covers a short one only beside its name', () => {
    const payload = Buffer.from('0:{"ROUTE":["/a","pin=12"],"rows":"12"}\n');
    coverSecrets(payload, [{ name: 'pin', value: '12' }]);
    expect(payload.toString()).toBe('0:{"ROUTE":["/a","pin=**"],"rows":"12"}\n');
  });
});

describe('a form that is no whole one', () => {
  const type = 'multipart/form-data; boundary=X';
  const first = '--X\r\nContent-Disposition: form-data; name="user"\r\n\r\nann\r\n';

  function redact(body: string): string {
    return Buffer.from(redactArguments(Buffer.from(body), type)).toString();
  }

  it.each([
    ['in the value', `${first}--X\r\nContent-Disposition: form-data; name="password"\r\n\r\n${secret}`],
    ['at its delimiter', `${first}--X\r\nContent-Disposition: form-data; name="password"\r\n\r\n${secret}\r\n--`],
    ['in a head', `${first}--X\r\nContent-Disposition: form-data; name="password"\r\nX: ${secret}`],
    ['without any delimiter', `name="password"\r\n\r\n${secret}`],
    ['before its first delimiter', `${secret}\r\n${first}--X--\r\n`],
    ['behind its end', `${first}--X--\r\n${secret}`],
    ['behind what looks like its end', `${first}--X--${secret}`],
  ])('loses what it breaks off with: %s', (_, body) => {
    const kept = redact(body);
    expect(kept).not.toContain(secret);
    expect(kept).toHaveLength(body.length);
    if (body.startsWith(first)) expect(kept).toContain(first.slice(0, -2));
  });

  it.each(['name=password', 'name=password; x=1', "name='password'", 'name="password', 'filename="password"'])(
    'loses the value of %s',
    (name) => {
      const body = `${first}--X\r\nContent-Disposition: form-data; ${name}\r\n\r\n${secret}\r\n--X--\r\n`;
      const kept = redact(body);
      expect(kept).not.toContain(secret);
      expect(kept).toHaveLength(body.length);
    },
  );
});
