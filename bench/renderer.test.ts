import { request } from 'node:http';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { canonicalizeFlight } from './canonical-flight.ts';
import { buildFixture, startFixture, type RunningApp } from './fixture-app.ts';

/**
 * Our renderer compared with Waku's, on the same app: the same status, the same HTML outside scripts, and the same
 * Flight rows, in a production build and in dev.
 */
// Two builds, or two dev servers that bundle their dependencies first.
const startTimeout = 120_000;
const pageTimeout = 30_000;

/** The first render of a client module waits for its import. How much of the page is flushed before that is chance. */
async function getWarm(app: RunningApp, path: string): Promise<Answer> {
  await get(app, path);
  return await get(app, path);
}

type Answer = { readonly status: number; readonly type: string; readonly location: string; readonly body: Buffer };

async function get(app: RunningApp, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(app.origin + path, { redirect: 'manual', ...init });
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    location: response.headers.get('location') ?? '',
    body: Buffer.from(await response.arrayBuffer()),
  };
}

/** The payload in a page's scripts, as the browser would read it. */
function readInlinedFlight(html: string): Buffer {
  const parts: Buffer[] = [];
  const pushes = /\(self\.__FLIGHT_DATA\|\|=\[\]\)\.push\((?:("(?:[^"\\]|\\.)*")|Uint8Array\.from\(atob\("([^"]*)"\))/g;
  for (const [, text, base64] of html.matchAll(pushes)) {
    parts.push(text === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(String(JSON.parse(text))));
  }
  return Buffer.concat(parts);
}

/**
 * Removes what may differ: scripts (how rows are split over them), file names (hashes), the key of a form's state
 * (React's two builds hash with different functions), and the error page's style sheet, which only ours has.
 */
function toComparableHtml(html: string): string {
  return (
    html
      .replace(/<script\b.*?<\/script>/gs, '')
      .replace(/\/assets\/[\w-]+?-[\w-]{8}\.(js|css)/g, '/assets/file.$1')
      .replace(/(name="\$ACTION_KEY" value=")\w+"/g, '$1key"')
      .replace(/<link rel="stylesheet"[^>]*data-precedence="vite-rsc\/client-reference"[^>]*>/g, '')
      .replace(/<link rel="(?:modulepreload|stylesheet|preload)"[^>]*>/g, (link) => `\n${link}\n`)
      .split('\n')
      // Without their hashes, two files with the same name are one line.
      .filter((line, index, lines) => line !== '' && lines.indexOf(line) === index)
      .join('\n')
  );
}

const documents = ['/', '/static', '/late', '/slow', '/text', '/action', '/no-such-page', '/?query=%E2%98%83'];
const payloads = ['_root', 'static', 'late', 'text', 'action', 'no-such-page'];

describe.each(['production', 'development'] as const)('in %s', (mode) => {
  const apps: RunningApp[] = [];
  let plain: RunningApp;
  let ours: RunningApp;

  beforeAll(async () => {
    if (mode === 'production') await Promise.all([buildFixture('plain'), buildFixture('ours')]);
    [plain, ours] = await Promise.all([startFixture('plain', mode), startFixture('ours', mode)]);
    apps.push(plain, ours);
  }, startTimeout);

  afterAll(async () => {
    await Promise.all(apps.map((app) => app.stop()));
  });

  it.concurrent.each(documents)(
    'gives the document %s',
    async (path) => {
      const [expected, actual] = await Promise.all([getWarm(plain, path), getWarm(ours, path)]);
      expect(actual.status).toBe(expected.status);
      expect(actual.type).toBe(expected.type);
      const [expectedHtml, html] = [expected.body.toString(), actual.body.toString()];
      expect(html).not.toContain('\uFFFD');
      expect(html.endsWith('</body></html>')).toBe(true);
      expect(html.match(/<\/html>/g)).toHaveLength(1);
      expect(toComparableHtml(html)).toBe(toComparableHtml(expectedHtml));
      const inlined = canonicalizeFlight(readInlinedFlight(html));
      expect(inlined).toEqual(canonicalizeFlight(readInlinedFlight(expectedHtml)));
      expect(JSON.stringify(inlined)).not.toContain('missing row');
    },
    pageTimeout,
  );

  it.concurrent.each(payloads)(
    'gives the payload of %s',
    async (name) => {
      const path = `/RSC/R/${name}.txt`;
      const [expected, actual] = await Promise.all([getWarm(plain, path), getWarm(ours, path)]);
      expect(actual.status).toBe(expected.status);
      const canonical = canonicalizeFlight(actual.body);
      expect(canonical).toEqual(canonicalizeFlight(expected.body));
      expect(JSON.stringify(canonical)).not.toContain('missing row');
    },
    pageTimeout,
  );

  it('answers a redirect and HEAD alike', async () => {
    for (const [path, init] of [
      ['/moved', {}],
      ['/', { method: 'HEAD' }],
      ['/late', { method: 'HEAD' }],
      ['/no-such-page', { method: 'HEAD' }],
    ] satisfies [string, RequestInit][]) {
      const [expected, actual] = [await get(plain, path, init), await get(ours, path, init)];
      expect([actual.status, actual.location], path).toEqual([expected.status, expected.location]);
    }
    expect(ours.output()).not.toContain('server-error');
  });

  it('answers a form without JavaScript with the page and the action’s state', async () => {
    const page = (await get(ours, '/action')).body.toString();
    const form = new FormData();
    for (const [, name, value] of page.matchAll(/<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?/g)) {
      form.set(name ?? '', (value ?? '').replaceAll('&quot;', '"'));
    }
    form.set('count', '41');
    const answer = await get(ours, '/action', {
      method: 'POST',
      body: form,
      headers: { origin: ours.origin },
    });
    expect(answer.status).toBe(200);
    expect(answer.body.toString()).toContain('<output>42</output>');
  });

  it.each(['/late', '/slow'])('does not call it an error when the client leaves %s', async (path) => {
    const left = request(ours.origin + path);
    left.on('error', () => undefined).end();
    if (path === '/late') {
      const response = await new Promise<NodeJS.ReadableStream>((resolve) => left.once('response', resolve));
      await new Promise((resolve) => response.once('data', resolve));
    } else {
      // Sent without waiting for its answer. The page after it is answered, and by then this one is being rendered.
      await get(ours, '/');
    }
    left.destroy();
    // The second one is complete at the time when the first one would have been.
    const whole = await get(ours, path);
    expect(whole.body.toString()).toMatch(path === '/late' ? 'After <!-- -->90<!-- --> ms' : '<h1>Slow</h1>');
    expect(ours.output()).not.toMatch(/server-error|aborted|no longer wanted/i);
  });
});
