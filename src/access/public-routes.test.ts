import { describe, expect, it } from 'vitest';

import { isPublic, type PublicRoute } from './public-routes.ts';

describe('what answers without a session', () => {
  it.each(['/login', '/favicon.svg', '/assets/index-Bh1ym7SV.css', '/assets/_root-ByWbyo3M.js'])('%s', (path) => {
    expect(isPublic('GET', path)).toBe(true);
    expect(isPublic('HEAD', path)).toBe(true);
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'get', ''])('never to the method %j', (method) => {
    expect(isPublic(method, '/login')).toBe(false);
    expect(isPublic(method, '/assets/a.js')).toBe(false);
  });

  it.each([
    '',
    '/',
    '/login/',
    '//login',
    '/Login',
    '/%6cogin',
    '/login%00',
    '/login.txt',
    '/login/..',
    '/RSC/R/login.txt',
    '/assets/',
    '/assets',
    '/assets/.env',
    '/assets/../lab',
    '/assets/..%2flab',
    '/assets/%2e%2e/lab',
    '/assets/a.js/',
    '/assets/a/b.js',
    '/assets//a.js',
    '/assets/a..js',
    '/ASSETS/a.js',
    '/favicon.svg/',
    '/lab',
    '/RSC/R/_root.txt',
    '/operator',
  ])('not %j', (path) => {
    expect(isPublic('GET', path)).toBe(false);
  });
});

describe('a page of one’s own', () => {
  const routes: readonly PublicRoute[] = [
    { kind: 'page', path: '/', transports: ['document', 'payload'] },
    { kind: 'page', path: '/about/us', transports: ['document', 'payload'] },
    { kind: 'page', path: '/press', transports: ['document'] },
  ];

  it('is opened by its path, and by its payload’s where the list says so', () => {
    for (const path of ['/', '/RSC/R/_root.txt', '/about/us', '/RSC/R/about/us.txt', '/press']) {
      expect(isPublic('GET', path, routes), path).toBe(true);
    }
    for (const path of ['/RSC/R/press.txt', '/about', '/RSC/R/about.txt', '/RSC/R/.txt', '/RSC/S/about/us.txt']) {
      expect(isPublic('GET', path, routes), path).toBe(false);
    }
  });
});
