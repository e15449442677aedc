import { describe, expect, it } from 'vitest';

import { parseDatabaseUrl } from './parse-database-url.ts';

describe('a connection string', () => {
  it('names one host for each connection', () => {
    expect(parseDatabaseUrl('postgresql://u:p@a:1,b,[::1]:3/db')).toEqual({
      hosts: ['postgres://u:p@a:1/db', 'postgres://u:p@b/db', 'postgres://u:p@[::1]:3/db'],
      shown: 'postgres://a:1,b,[::1]:3/db',
      mustBePrimary: true,
    });
  });

  it('may hold an @ in its password, as people write it', () => {
    expect(parseDatabaseUrl('postgres://u:p@ss@h/db')).toMatchObject({ hosts: ['postgres://u:p%40ss@h/db'] });
  });

  it('keeps its parameters, but those that the pool follows itself', () => {
    const given = 'postgres://u@h/db?target_session_attrs=any&application_name=x';
    expect(parseDatabaseUrl(given)).toMatchObject({
      hosts: ['postgres://u@h/db?application_name=x'],
      mustBePrimary: false,
    });
  });

  it('encrypts as libpq does when it says so', () => {
    expect(parseDatabaseUrl('postgres://u@h/db?sslmode=require')?.hosts).toEqual([
      'postgres://u@h/db?sslmode=require&uselibpqcompat=true',
    ]);
  });

  it('may name a socket', () => {
    expect(parseDatabaseUrl('postgres://u@/db?host=/run/postgresql')?.hosts).toEqual([
      'postgres://u@/db?host=%2Frun%2Fpostgresql',
    ]);
  });

  it.each([
    '',
    'localhost',
    'mysql://u:p@h/db',
    'postgres://h',
    'postgres://h/',
    'postgres://u:p@h:port/db',
    'postgres://h/db?target_session_attrs=standby',
    `postgres://${Array.from({ length: 11 }, (_, at) => `h${at}`).join(',')}/db`,
  ])('is not %s', (text) => {
    expect(parseDatabaseUrl(text)).toBeUndefined();
  });
});
