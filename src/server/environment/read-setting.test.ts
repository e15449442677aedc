import { afterEach, describe, expect, it, vi } from 'vitest';

import type { Mail } from './mail-entries.ts';
import { checkSettings, readFrom, readSetting } from './read-setting.ts';

const mebibyte = 1024 * 1024;

afterEach(() => {
  vi.unstubAllEnvs();
});

function mail(parts: Partial<Mail['server']>): Mail['server'] {
  const usual = { host: 'mail.example', port: 587, isSecure: false, needsTls: false };
  return { ...usual, user: undefined, password: undefined, ...parts };
}

describe('a variable', () => {
  it.each([
    ['PORT', '0', 0],
    ['PORT', '65535', 65_535],
    ['FLIGHT_DATA', '', './data'],
    ['KEEP_ALIVE_SECONDS', '', 5],
    ['KEEP_ALIVE_SECONDS', '1', 1],
    ['KEEP_ALIVE_SECONDS', '3600', 3600],
    ['FLIGHT_DATA_LIMIT', '512MiB', 512 * mebibyte],
    ['FLIGHT_DATA_LIMIT', '16MiB', 16 * mebibyte],
    ['FLIGHT_DATA_LIMIT', '3GiB', 3072 * mebibyte],
    ['FLIGHT_DATA_LIMIT', undefined, 2048 * mebibyte],
    ['FLIGHT_DATA_LIMIT', '', 2048 * mebibyte],
    ['FLIGHT_INSECURE', '0', false],
    ['FLIGHT_INSECURE', '1', true],
    ['FLIGHT_OPEN', '', undefined],
    ['CONTACT_NAME', ' Ada Lovelace ', 'Ada Lovelace'],
    [
      'CONTACT_ADDRESS',
      'ada+shop@example.org',
      { text: 'ada+shop@example.org', href: 'mailto:ada%2Bshop@example.org' },
    ],
    [
      'CONTACT_ADDRESS',
      'https://example.org/help?a=1',
      { text: 'https://example.org/help?a=1', href: 'https://example.org/help?a=1' },
    ],
    ['CONTACT_ADDRESS', 'room 3, phone 42', { text: 'room 3, phone 42', href: '' }],
    ['CONTACT_ADDRESS', 'javascript:alert(1)', { text: 'javascript:alert(1)', href: '' }],
    ['CONTACT_ADDRESS', 'mailto:a@b.c?bcc=d@e.f', { text: 'mailto:a@b.c?bcc=d@e.f', href: '' }],
    ['SENTRY_DSN', '', undefined],
    ['ALERT_FROM', 'alerts@example.com', 'alerts@example.com'],
    ['SMTP_URL', 'smtps://mail.example', mail({ isSecure: true, port: 465 })],
    ['SMTP_URL', 'smtp://mail.example:25', mail({ port: 25 })],
    // A password crosses no network without TLS.
    ['SMTP_URL', 'smtp://a%40b:p%3A1@mail.example/', mail({ user: 'a@b', password: 'p:1', needsTls: true })],
    ['SMTP_URL', 'smtp://a:b@127.0.0.1', mail({ host: '127.0.0.1', user: 'a', password: 'b' })],
  ] as const)('%s=%s', (name, text, value) => {
    expect(readFrom({ [name]: text })(name)).toEqual(value);
  });

  it.each([
    ['ALERT_FROM', 'Ops <ops@example.com>', 'it must be an e-mail address, like alerts@example.com'],
    ['PORT', '65536', 'it must be a port number, at most 65535'],
    ['KEEP_ALIVE_SECONDS', '0', 'it must be a whole number from 1 to 3600'],
    ['KEEP_ALIVE_SECONDS', '3601', 'it must be a whole number from 1 to 3600'],
    ['KEEP_ALIVE_SECONDS', '1.5', 'it must be a whole number from 1 to 3600'],
    ...['1', '2GB', '15MiB', '-1GiB', '1.5GiB', 'lots'].map(
      (text) => ['FLIGHT_DATA_LIMIT', text, 'it must be a size like 512MiB or 2GiB, and at least 16MiB'] as const,
    ),
    ...['Infinity', '0', '1e-9', '0.01', '1048577', '1e305'].map(
      (text) => ['RECORD_MIB', text, 'it must be a number above 0.01, and at most 1048576'] as const,
    ),
    ...['week', '0', '36501', '1e305'].map(
      (text) => ['RECORD_DAYS', text, 'it must be a number above 0, and at most 36500'] as const,
    ),
    ['CONTACT_NAME', 'x'.repeat(81), 'it must be one line of at most 80 characters'],
    ['FLIGHT_INSECURE', 'true', 'it must be 0 or 1'],
    ['FLIGHT_OPEN', 'no', 'it must be 0 or 1'],
  ] as const)('%s=%s is refused with what to write', (name, text, what) => {
    expect(() => readFrom({ [name]: text })(name)).toThrow(`${name} is ${text}; ${what}`);
  });

  it.each(['a\u202eb@example.org', 'a\nb', 'x'.repeat(201)])(
    'CONTACT_ADDRESS is one line that shows what it holds',
    (text) => {
      expect(() => readFrom({ CONTACT_ADDRESS: text })('CONTACT_ADDRESS')).toThrow(
        'one line of at most 200 characters',
      );
    },
  );

  it('is shown as it came, but bounded, on one line and without a password', () => {
    const show = (RECORD: string) => () => readFrom({ RECORD })('RECORD');
    expect(show(`\u001b[2J\n${'x'.repeat(200)}`)).toThrow(`RECORD is \\u001b[2J\\u000a${'x'.repeat(85)}…; it must be`);
    expect(() => readFrom({ BASE_URL: 'https://me:secret@flight.example' })('BASE_URL')).toThrow(
      'BASE_URL is https://…@flight.example; it must be',
    );
    for (const text of ['https://me:se/cret@flight.example', 'https://me:se@cret@flight.example']) {
      expect(() => readFrom({ BASE_URL: text })('BASE_URL')).toThrow(
        'BASE_URL is https://…@flight.example; it must be',
      );
    }
    for (const wrong of [
      'https://a:secret@mail.example',
      'smtps://a:secret@mail.example/inbox',
      'smtps://',
      'secret',
    ]) {
      expect(() => readFrom({ SMTP_URL: wrong })('SMTP_URL'), wrong).toThrow(
        /^SMTP_URL is not of the form smtps:\/\/<user>:<password>@<host>:<port>$/,
      );
    }
    expect(() => readFrom({ SENTRY_DSN: 'https://key@sentry.example' })('SENTRY_DSN')).toThrow(
      /^SENTRY_DSN is not of the form https:\/\/<key>@<host>\/<project number>$/,
    );
  });

  it('that is wrong fails whoever asks for it, and nobody else', () => {
    const read = readFrom({ RECORD: 'everything', FLIGHT_DATA: '/srv/flight', HOST: '0.0.0.0' });
    expect(read('FLIGHT_DATA')).toBe('/srv/flight');
    expect(() => read('RECORD')).toThrow('RECORD is everything');
    expect(() => read('HOST')).toThrow('HOST is 0.0.0.0, which other machines can reach. Set BASE_URL');
  });

  it('is read from this process', () => {
    vi.stubEnv('RECORD_DAYS', '0.5');
    expect(readSetting('RECORD_DAYS')).toBe(12 * 3600 * 1000);
  });
});

describe('kept settings', () => {
  it('are parsed once', async () => {
    vi.resetModules();
    const fresh = await import('./read-setting.ts');
    vi.stubEnv('RECORD_DAYS', '1');
    expect(fresh.readSetting('RECORD_DAYS')).toBe(24 * 3600 * 1000);
    vi.stubEnv('RECORD_DAYS', '2');
    expect(fresh.readSetting('RECORD_DAYS')).toBe(24 * 3600 * 1000);
  });
});

function findProblems(variables: Readonly<Record<string, string>>): readonly string[] {
  try {
    checkSettings(variables);
    return [];
  } catch (error) {
    return error instanceof Error ? error.message.split('\n').map((line) => line.split(/[ ,;]/, 3).join(' ')) : [];
  }
}

describe('a start', () => {
  it.each([
    [{}, []],
    [{ PORT: 'x', RECORD: 'x', SENTRY_DSN: 'x', DISPLAY: 'x' }, ['PORT is x', 'RECORD is x', 'SENTRY_DSN is not']],
    [{ TRUSTED_PROXIES: '::1, proxy' }, ['TRUSTED_PROXIES has proxy']],
    [{ HOST: '0.0.0.0', FLIGHT_AUTH: 'off' }, ['HOST is 0.0.0.0']],
    [{ BASE_URL: 'http://flight.example' }, ['BASE_URL is http://flight.example']],
    [{ BASE_URL: 'http://127.0.0.1:3000' }, []],
    [{ BASE_URL: 'https://flight.example', FLIGHT_AUTH: 'off' }, ['FLIGHT_AUTH is off']],
    [{ BASE_URL: 'https://flight.example', HOST: '0.0.0.0', FLIGHT_AUTH: 'on' }, []],
    [{ FLIGHT_AUTH: 'off', TRUSTED_PROXIES: '::1' }, ['FLIGHT_AUTH is off']],
  ])('with %o names all that is wrong', (variables, problems) => {
    expect(findProblems(variables)).toEqual(problems);
  });
});
