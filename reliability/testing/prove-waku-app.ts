import { expect } from 'vitest';

import { findError, listFlights, readDigestIn, type RunningApp } from './waku-app.ts';

/** What an app of somebody else's must do, in production and in development alike. */

/** Each place where an app can throw, and what is thrown there. */
const places = [
  { kind: 'document', path: '/in-server', status: 500, message: 'in a server component' },
  { kind: 'navigation', path: '/RSC/R/in-server.txt', status: 200, message: 'in a server component' },
  { kind: 'document', path: '/late', status: 200, message: 'after the shell' },
  { kind: 'document', path: '/in-html', status: 500, message: 'in a client component on the server' },
] as const;

async function readAnswer(
  url: string,
  init?: RequestInit,
): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await fetch(url, init);
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** As a browser without JavaScript submits the form of the page. */
async function submitForm(url: string): Promise<{ status: number; text: string }> {
  const { text } = await readAnswer(url);
  const [, name] = /name="(\$ACTION_ID_[^"]+)"/.exec(text) ?? [];
  if (name === undefined) throw new Error(`no form in: ${text}`);
  const body = new FormData();
  body.append(name, '');
  return readAnswer(url, { method: 'POST', headers: { origin: new URL(url).origin }, body });
}

/** As the page's JavaScript calls the action: at the page's URL, with the action's id in a header. */
export async function callAction(url: string): Promise<{ status: number; digest: string | null }> {
  const { text } = await readAnswer(url);
  const [, file, name] = /name="\$ACTION_ID_([^"#]+)#([^"]+)"/.exec(text) ?? [];
  const header = `${file?.startsWith('/') === true ? '_' : ''}${file}/${name}`;
  const headers = { origin: new URL(url).origin, 'x-flight-action': header, 'content-type': 'text/plain' };
  const { status, headers: answered } = await readAnswer(url, { method: 'POST', headers, body: '[]' });
  return { status, digest: answered.get('x-flight-digest') };
}

/** What is sent is stored when it is sent: a digest that a visitor sees is found at once. */
export async function proveDigests({ origin, data }: RunningApp, base = ''): Promise<void> {
  for (const { path, status, message } of places) {
    const answer = await readAnswer(origin + base + path);
    const digest = readDigestIn(answer.text);
    expect([path, answer.status, findError(data, digest)]).toEqual([
      path,
      status,
      { app: 'acme-shop', digest, message },
    ]);
  }
  const submitted = await submitForm(`${origin}${base}/act`);
  const ofForm = readDigestIn(submitted.text);
  expect([submitted.status, findError(data, ofForm)]).toEqual([
    500,
    { app: 'acme-shop', digest: ofForm, message: 'in an action' },
  ]);
  const { status, digest } = await callAction(`${origin}${base}/act`);
  expect(status).toBe(500);
  expect(findError(data, digest ?? '')).toMatchObject({ app: 'acme-shop', message: 'in an action' });
}

/** Written within a quarter of a second; a machine may be slow. */
const flightDeadlineMs = 10_000;

export async function proveFlights({ origin, data }: RunningApp, base = ''): Promise<void> {
  for (const path of ['/', '/fine', '/RSC/R/fine.txt']) {
    expect((await readAnswer(origin + base + path)).status).toBe(200);
  }
  const wanted = [
    { app: 'acme-shop', path: `${base}/`, kind: 'document', status: 200 },
    { app: 'acme-shop', path: `${base}/fine`, kind: 'document', status: 200 },
    { app: 'acme-shop', path: `${base}/fine`, kind: 'navigation', status: 200 },
  ];
  await expect.poll(() => listFlights(data), { timeout: flightDeadlineMs }).toEqual(expect.arrayContaining(wanted));
}

/**
 * The interface is there, with files of its own, and the app keeps every other address. In production it is closed; on one's own machine,
 * in development, it is open.
 */
export async function proveInterface({ origin }: RunningApp, mode: 'open' | 'closed', base = ''): Promise<void> {
  const mount = `${origin}${base}/_flight`;
  const page = await readAnswer(`${mount}/flights`);
  expect(page.status).toBe(mode === 'open' ? 200 : 401);
  const login = await readAnswer(`${mount}/login`);
  expect(login.status).toBe(200);
  const [, file] = /["'(](\/[^"'()]*\/assets\/[^"'()]+\.css)/.exec(login.text) ?? [];
  expect(file).toMatch(new RegExp(`^${base}/_flight/assets/`));
  expect((await readAnswer(origin + file)).status).toBe(200);
  expect((await readAnswer(`${origin}${base}/flights`)).status).toBe(404);
}

/** What an app without us answers in its own way: a page that is not found, and an API route that fails. */
export async function provePlainAnswers({ origin, data }: RunningApp): Promise<void> {
  const missing = await readAnswer(`${origin}/missing`, { headers: { accept: 'text/html' } });
  expect(missing.status).toBe(404);
  expect(missing.text).toContain('<h1>Not Found</h1>');
  expect(missing.text).not.toMatch(/data-flight-digest|Something went wrong/);
  const broken = await readAnswer(`${origin}/broken`, { headers: { accept: 'application/json' } });
  expect([broken.status, broken.headers.get('content-type')]).toEqual([500, 'text/plain; charset=utf-8']);
  const digest = broken.headers.get('x-flight-digest') ?? '';
  expect(findError(data, digest)).toMatchObject({ digest, message: 'in an API route' });
}
