import { afterEach, beforeEach, expect, it, vi } from 'vitest';

let lines: string[];

beforeEach(() => {
  lines = [];
  vi.resetModules();
});

afterEach(() => {
  vi.unstubAllEnvs();
});

/** The variables are those with which the process was started. */
async function read(mode: 'development' | 'production', variables: Readonly<Record<string, string>> = {}) {
  const unset = { HOST: '', RECORD: '', FLIGHT_BASE_URL: '', FLIGHT_TRUSTED_PROXIES: '', FLIGHT_AUTH: '', PORT: '' };
  for (const [name, value] of Object.entries({ ...unset, ...variables })) vi.stubEnv(name, value);
  const { readAppReach, findLocalUrl } = await import('./read-reach.ts');
  return { ...readAppReach(mode, (line) => void lines.push(line)), local: findLocalUrl(undefined)?.href };
}

it.each([
  ['development', {}, 'all', true],
  ['development', { HOST: '0.0.0.0' }, 'all', true],
  ['production', {}, 'errors', false],
  ['production', { HOST: '0.0.0.0' }, 'errors', false],
  ['production', { HOST: '127.0.0.1' }, 'all', false],
  ['production', { HOST: '127.0.0.1', FLIGHT_BASE_URL: 'https://shop.example' }, 'errors', false],
  ['production', { RECORD: 'all', FLIGHT_AUTH: 'off' }, 'all', true],
  ['development', { RECORD: 'off' }, 'off', true],
] as const)('in %s with %j it records %s, and needs no login at the machine: %s', async (mode, env, record, isOff) => {
  expect(await read(mode, env)).toMatchObject({ unset: { mode: record }, isLoginOff: isOff });
  expect(lines).toEqual([]);
});

it('takes what is said of the way in, and nothing of the app’s own', async () => {
  const env = { FLIGHT_BASE_URL: 'https://shop.example', FLIGHT_TRUSTED_PROXIES: '10.0.0.0/8, ::1', PORT: '8080' };
  expect(
    await read('production', { ...env, BASE_URL: 'https://own.example', TRUSTED_PROXIES: '1.2.3.4' }),
  ).toMatchObject({
    baseUrl: new URL('https://shop.example'),
    trustedProxies: ['10.0.0.0/8', '::1'],
    local: 'http://localhost:8080/',
  });
});

it.each([
  [{ FLIGHT_BASE_URL: 'shop.example' }, 'FLIGHT_BASE_URL is "shop.example"; it must be'],
  [{ FLIGHT_BASE_URL: 'https://shop.example/shop' }, 'FLIGHT_BASE_URL is "https://shop.example/shop"; it must be'],
  [{ FLIGHT_BASE_URL: 'ftp://shop.example' }, 'FLIGHT_BASE_URL is'],
  [{ FLIGHT_TRUSTED_PROXIES: 'everybody' }, 'FLIGHT_TRUSTED_PROXIES holds something'],
  [{ RECORD: 'some' }, 'RECORD is some; it must be'],
])('says in one line what is wrong with %j, and goes on without', async (env, line) => {
  expect(await read('production', env)).toMatchObject({
    baseUrl: undefined,
    trustedProxies: [],
    unset: { mode: 'errors' },
  });
  expect(lines).toEqual([expect.stringContaining(line)]);
});

it.each(['', 'eighty', '123456', 'http://x'])('knows no address by the port %j', async (port) => {
  expect((await read('production', { PORT: port })).local).toBeUndefined();
});
