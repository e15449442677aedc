import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { currentRequest } from '#src/server/http/request-context.ts';

import { requestContext } from '#src/runtime/middleware/request-context.ts';
import { securityHeaders } from './security-headers.ts';

let app: Hono;

beforeEach(() => {
  vi.stubEnv('PROD', true);
  app = new Hono();
  app.use(requestContext());
  app.use(securityHeaders());
  app.get('/page', (c) => c.html(`<script nonce="${currentRequest()?.nonce}">1</script>`));
  app.get('/json', (c) => c.json({}));
  app.get('/own', (c) =>
    c.html('', 200, { 'content-security-policy': "default-src 'self'", 'cache-control': 'private, no-cache' }),
  );
  app.get('/moved', () => Response.redirect('http://localhost/page', 303));
  app.get('/broken', () => {
    throw new Error('canary');
  });
  app.onError((_error, c) => c.text('failed', 500));
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const documentOnly = ['permissions-policy', 'cross-origin-opener-policy', 'origin-agent-cluster'];

function expectCommon(response: Response): void {
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'x-request-id': expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  expect(response.headers.has('strict-transport-security')).toBe(false);
}

describe('a document', () => {
  it('has a policy that names the nonce of its scripts, a new one each time', async () => {
    const nonces = new Set<string>();
    for (const response of [await app.request('/page'), await app.request('/page')]) {
      expectCommon(response);
      const nonce = /nonce="([0-9a-f]{32})"/.exec(await response.text())?.[1] ?? 'none';
      nonces.add(nonce);
      const policy = response.headers.get('content-security-policy');
      expect(policy).toContain(`script-src 'self' 'nonce-${nonce}';`);
      expect(policy).not.toMatch(/script-src[^;]*unsafe/);
      for (const directive of [
        "default-src 'none'",
        "object-src 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "form-action 'self'",
        'report-uri /csp-report',
      ]) {
        expect(policy?.split('; ')).toContain(directive);
      }
      // Over http `report-to` reaches nobody, and hides `report-uri`.
      expect(policy).not.toContain('report-to');
      expect(response.headers.get('cache-control')).toBe('private, no-store');
      for (const name of documentOnly) expect(response.headers.has(name), name).toBe(true);
    }
    expect(nonces.size).toBe(2);
  });

  it('keeps its own policy and cache rule', async () => {
    const response = await app.request('/own');
    expectCommon(response);
    expect(response.headers.get('content-security-policy')).toBe("default-src 'self'");
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
  });

  it('has no policy in dev, where Vite writes scripts into it', async () => {
    vi.stubEnv('PROD', false);
    const response = await app.request('/page');
    expectCommon(response);
    expect(response.headers.has('content-security-policy')).toBe(false);
  });
});

describe('anything else', () => {
  it.each([
    ['/json', 200],
    ['/moved', 303],
    ['/nowhere', 404],
    ['/broken', 500],
  ])('may do nothing and is not kept: %s', async (url, status) => {
    const response = await app.request(url);
    expect(response.status).toBe(status);
    expectCommon(response);
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    for (const name of documentOnly) expect(response.headers.has(name), name).toBe(false);
  });
});

it('asks for https, and for reports by both ways, where people reach it by https', async () => {
  vi.stubEnv('BASE_URL', 'https://flight.example');
  vi.resetModules();
  const [fresh, context] = [
    await import('./security-headers.ts'),
    await import('#src/runtime/middleware/request-context.ts'),
  ];
  const secure = new Hono();
  secure.use(context.requestContext());
  secure.use(fresh.securityHeaders());
  secure.get('/', (c) => c.html(''));
  const { headers } = await secure.request('/');
  expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
  expect(headers.get('reporting-endpoints')).toBe('csp="/csp-report"');
  expect(headers.get('content-security-policy')).toMatch(/; report-uri \/csp-report; report-to csp$/);
});
