import { expect, it } from 'vitest';

import { formatClearedCookie, formatSessionCookie, readSessionCookies, sessionCookieName } from './cookie.ts';

const https = { baseUrl: new URL('https://flight.example'), port: 3000 };
const local = { baseUrl: undefined, port: 3000 };

it('is bound to the host and to TLS where there is TLS', () => {
  expect(formatSessionCookie(https, 'x')).toBe(
    '__Host-flight=x; Path=/; Max-Age=2419200; HttpOnly; SameSite=Lax; Secure',
  );
  expect(formatClearedCookie(https)).toBe('__Host-flight=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure');
});

it('carries the port where browsers share cookies between ports', () => {
  expect(formatSessionCookie(local, 'x')).toBe('flight_3000=x; Path=/; Max-Age=2419200; HttpOnly; SameSite=Lax');
  expect(sessionCookieName({ ...local, port: 4000 })).toBe('flight_4000');
});

it('is for the mount path alone inside another app, by the port that people use', () => {
  const attributes = 'Path=/shop/_flight; Max-Age=2419200; HttpOnly; SameSite=Lax';
  expect(formatSessionCookie(https, 'x', '/shop/_flight')).toBe(`__Secure-flight=x; ${attributes}; Secure`);
  expect(formatSessionCookie(local, 'x', '/shop/_flight')).toBe(`flight_mounted_3000=x; ${attributes}`);
  expect(formatClearedCookie(local, '/_flight')).toContain('flight_mounted_3000=; Path=/_flight; Max-Age=0;');
  const behind = { baseUrl: new URL('http://localhost:8080'), port: 41234 };
  expect(sessionCookieName(behind, '/_flight')).toBe('flight_mounted_8080');
  expect(sessionCookieName({ ...behind, baseUrl: new URL('http://localhost') }, '/_flight')).toBe('flight_mounted_80');
});

it('is read by its exact name, however often it is there', () => {
  expect(readSessionCookies(null, 'flight_3000')).toEqual([]);
  expect(readSessionCookies('flight_30000=a; xflight_3000=b; Flight_3000=c; flight_3000 =d', 'flight_3000')).toEqual(
    [],
  );
  expect(readSessionCookies('a=b;flight_3000=one; flight_3000=t=wo', 'flight_3000')).toEqual(['one', 't=wo']);
  const values = Array.from({ length: 290 }, (_, index) => String(index));
  const header = values.map((value) => `flight_3000=${value}`).join('; ');
  expect(readSessionCookies(header, 'flight_3000')).toEqual(values);
});
