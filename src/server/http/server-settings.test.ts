import { expect, test } from 'vitest';

import {
  allowedHosts,
  allowedOrigins,
  listeningAddress,
  publicOrigin,
  readServerSettings,
  toConnectable,
} from './server-settings.ts';

test('without any variable it is reached by this machine alone', () => {
  const settings = readServerSettings({});
  expect(settings).toMatchObject({ hostname: '127.0.0.1', port: 3000, isLoopback: true, auth: 'on' });
  expect([...allowedHosts(settings)]).toEqual(['127.0.0.1:3000', 'localhost:3000', '[::1]:3000']);
  expect([...allowedOrigins(settings)]).toEqual([
    'http://127.0.0.1:3000',
    'http://localhost:3000',
    'http://[::1]:3000',
  ]);
  expect(publicOrigin(settings)).toBe('http://127.0.0.1:3000');
  expect(listeningAddress(settings)).toBe('127.0.0.1:3000');
});

test('a bind that other machines can reach needs the address that people use', () => {
  expect(() => readServerSettings({ HOST: '0.0.0.0' })).toThrow(/BASE_URL/);
  expect(() => readServerSettings({ HOST: '::' })).toThrow(/BASE_URL/);
  const settings = readServerSettings({ HOST: '0.0.0.0', BASE_URL: 'https://flight.example' });
  expect(settings.isLoopback).toBe(false);
  expect(allowedHosts(settings)).toContain('flight.example');
  expect(allowedOrigins(settings)).toContain('https://flight.example');
  expect(allowedOrigins(settings)).not.toContain('http://flight.example');
  expect(publicOrigin(settings)).toBe('https://flight.example');
});

test('an unencrypted address for other machines takes an explicit flag', () => {
  const env = { HOST: '192.168.1.5', BASE_URL: 'http://192.168.1.5:3000' };
  expect(() => readServerSettings(env)).toThrow(/FLIGHT_INSECURE/);
  expect(readServerSettings({ ...env, FLIGHT_INSECURE: '1' }).baseUrl?.host).toBe('192.168.1.5:3000');
});

test.each(['flight.example', 'ftp://flight.example', 'https://flight.example/app', 'https://user@flight.example'])(
  'BASE_URL %s is refused',
  (BASE_URL) => {
    expect(() => readServerSettings({ BASE_URL })).toThrow(/BASE_URL is/);
  },
);

test('the login cannot be off where others can reach the server, directly or through a proxy', () => {
  expect(readServerSettings({ FLIGHT_AUTH: 'off' }).auth).toBe('off');
  expect(() => readServerSettings({ FLIGHT_AUTH: 'no' })).toThrow(/FLIGHT_AUTH is no/);
  expect(() => readServerSettings({ FLIGHT_AUTH: 'off', TRUSTED_PROXIES: '127.0.0.1' })).toThrow(
    /TRUSTED_PROXIES is set/,
  );
  expect(() => readServerSettings({ FLIGHT_AUTH: 'off', BASE_URL: 'https://flight.example' })).toThrow(/127\.0\.0\.1/);
  expect(() => readServerSettings({ FLIGHT_AUTH: 'off', HOST: '0.0.0.0', BASE_URL: 'http://127.0.0.1:3000' })).toThrow(
    /127\.0\.0\.1/,
  );
});

test.each(['', 'x', '-1', '70000', '3000.5', ' 3000'])('PORT %j', (PORT) => {
  if (PORT === '') expect(readServerSettings({ PORT }).port).toBe(3000);
  else expect(() => readServerSettings({ PORT })).toThrow(/PORT is/);
});

test('proxies are a list', () => {
  expect(readServerSettings({ TRUSTED_PROXIES: '127.0.0.1/32, ::1,' }).trustedProxies).toEqual(['127.0.0.1/32', '::1']);
});

test.each([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
  ['[::]', '::1'],
  ['[::1]', '::1'],
  ['192.168.1.5', '192.168.1.5'],
  ['localhost', 'localhost'],
])('a server on %s is reached from here at %s', (hostname, expected) => {
  expect(toConnectable(hostname)).toBe(expected);
});
