import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { chromium } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { findInstalledBrowser } from '../scripts/find-browser.mjs';
import { developmentMarks } from './testing/development-marks.ts';
import { callAction, proveDigests, proveFlights, proveInterface, provePlainAnswers } from './testing/prove-waku-app.ts';
import {
  copyDist,
  createApp,
  findError,
  findVitals,
  listFiles,
  listFlights,
  listReports,
  packRecorder,
  readDigestIn,
  readText,
  startApp,
  type AppFiles,
  type WakuApp,
} from './testing/waku-app.ts';

/**
 * `flight-recorder/waku` as a stranger has it: the packed tarball in an app outside the repository, with two changes, installed with
 * npm. The nightly part (waku-plugin.nightly.ts) has pnpm, a base path, entries of the app's own, and other compilers.
 */
const more: AppFiles = {
  'src/pages/save.tsx': `
let saved = 'nothing';
async function save(form: FormData): Promise<void> {
  'use server';
  saved = String(form.get('note'));
}
export default function Page() { return <form action={save}><p>saved: {saved}</p><button>Save</button></form>; }
export const getConfig = async () => ({ render: 'dynamic' }) as const;`,
  'src/basket.tsx': `'use client';
import { useState } from 'react';
export function Basket() {
  const [isBroken, setBroken] = useState(false);
  if (isBroken) throw new RangeError('the basket cannot be shown');
  const pay = () => { throw new TypeError('the basket is empty'); };
  return <section>
    <p className="clock">{typeof window === 'undefined' ? '10:41' : '10:43'}</p>
    <button onClick={pay}>Pay</button><button onClick={() => setBroken(true)}>Show</button>
  </section>;
}`,
  'src/pages/basket.tsx': `
import { Basket } from '../basket';
export default async function Page() { return <main><h1>Basket</h1><Basket /></main>; }
export const getConfig = async () => ({ render: 'dynamic' }) as const;`,
  'src/pages/_api/upload.ts': `
export async function POST(request: Request) {
  const file = (await request.formData()).get('file');
  return new Response(String(typeof file === 'string' ? file.length : file?.size));
}`,
};

let tarball: string;
let app: WakuApp;
let built: string;

beforeAll(() => {
  tarball = packRecorder();
  app = createApp({ tarball, files: more });
  built = app.build();
}, 600_000);

afterAll(() => {
  app.remove();
  rmSync(path.dirname(tarball), { recursive: true });
});

describe('in production', () => {
  test('finds every error by its digest, records flights, and shows them at /_flight', async () => {
    await using running = await startApp(app.folder, ['dist/serve-node.js'], { env: { NODE_ENV: 'production' } });
    await proveDigests(running);
    await proveFlights(running);
    await proveInterface(running, 'closed');
    await provePlainAnswers(running);
    expect(running.output()).toContain('was thrown at src/pages/in-server.tsx:4');
  }, 120_000);

  test('browsers report what goes wrong in them at the page’s own address, and how fast the page was', async () => {
    await using running = await startApp(app.folder, ['dist/serve-node.js'], { env: { NODE_ENV: 'production' } });
    const { origin, data } = running;
    const executablePath = findInstalledBrowser();
    const browser = await chromium.launch({ ...(executablePath ? { executablePath } : {}), args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      await page.goto(`${origin}/basket`);
      await page.getByRole('button', { name: 'Pay' }).click();
      await page.getByRole('button', { name: 'Show' }).click();
      const digest = readDigestIn(await page.getByText(/[0-9A-Z]{5}-[0-9A-Z]{5}/).innerText());
      await page.goto('about:blank');
      await expect.poll(() => listReports(data).length, { timeout: 20_000 }).toBe(3);
      const [mismatch, unhandled, shown] = listReports(data);
      expect([mismatch?.['message'], mismatch?.['extra_json']]).toEqual([
        expect.stringContaining('#418'),
        expect.stringMatching(/server":"10:41".*browser":"10:43".*cause":"time"/),
      ]);
      expect([unhandled, shown]).toEqual([
        expect.objectContaining({ name: 'TypeError', message: 'the basket is empty' }),
        expect.objectContaining({ name: 'RangeError', message: 'the basket cannot be shown', digest }),
      ]);
      expect(unhandled?.['breadcrumbs_json']).toContain('"category":"ui.click"');
      await expect.poll(() => findVitals(data, '/basket'), { timeout: 20_000 }).toMatch(/"lcp":\{"ms":\d+.*"ttfb":/);
    } finally {
      await browser.close();
    }
  }, 120_000);

  test('starts with Waku’s own command, too', async () => {
    const words = ['node_modules/waku/cli.js', 'start', '--host', '127.0.0.1', '--port', '$PORT'];
    await using running = await startApp(app.folder, words);
    await proveInterface(running, 'closed');
    await proveFlights(running);
  }, 120_000);

  test('needs nothing but its dist', async () => {
    const folder = copyDist(app);
    try {
      await using running = await startApp(folder, ['dist/serve-node.js'], { env: { NODE_ENV: 'production' } });
      await proveDigests(running);
      await proveFlights(running);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 120_000);

  test('serves no source map, and names no file of the app to strangers', () => {
    const dist = path.join(app.folder, 'dist');
    expect(listFiles(path.join(dist, 'public')).filter((file) => file.endsWith('.map'))).toEqual([]);
    expect(listFiles(path.join(dist, 'maps')).some((file) => /index-[\w-]+\.js\.map$/.test(file))).toBe(true);
    const sources = readText(path.join(dist, 'server/reference-sources.json'));
    expect(sources).toContain('"src/counter.tsx"');
    expect(sources).toContain('"src/pages/act.tsx"');
  });

  test('has nothing of development in its build', () => {
    const dist = path.join(app.folder, 'dist');
    const scripts = listFiles(dist).filter((file) => /\.(?:js|css|html|txt)$/.test(file));
    expect(scripts.length).toBeGreaterThan(20);
    expect(scripts.filter((file) => developmentMarks.test(readText(path.join(dist, file))))).toEqual([]);
  });

  test('starts nothing in a build', () => {
    expect(existsSync(path.join(app.folder, 'data/build'))).toBe(false);
    expect(built).not.toMatch(/flight-recorder:|interface is at/);
  });
});

/** What is stored is stored a moment after the answer. */
const waits = { timeout: 30_000 };

test('records an app that has its payloads elsewhere', async () => {
  const config = path.join(app.folder, 'waku.config.ts');
  const before = readText(config);
  // `strictActions` sends calls on by itself.
  const changed = before
    .replace('flightRecorder()', 'flightRecorder({ strictActions: true })')
    .replace('defineConfig({', "defineConfig({ rscBase: 'api/rsc', distDir: 'dist-rsc',");
  writeFileSync(config, changed);
  try {
    app.build();
  } finally {
    writeFileSync(config, before);
  }
  await using running = await startApp(app.folder, ['dist-rsc/serve-node.js'], { env: { NODE_ENV: 'production' } });
  const { origin, data } = running;
  expect((await fetch(`${origin}/api/rsc/R/act.txt`)).status).toBe(200);
  const { status, digest } = await callAction(`${origin}/act`);
  expect(status).toBe(500);
  await expect.poll(() => findError(data, digest ?? ''), waits).toMatchObject({ message: 'in an action' });
  await expect
    .poll(() => listFlights(data), waits)
    .toContainEqual({ app: 'acme-shop', path: '/act', kind: 'navigation', status: 200 });
}, 180_000);

test('finds every error by its digest in development', async () => {
  const words = ['node_modules/waku/cli.js', 'dev', '--host', '127.0.0.1', '--port', '$PORT'];
  await using running = await startApp(app.folder, words);
  await proveDigests(running);
  await proveFlights(running);
  await proveInterface(running, 'open');
  await provePlainAnswers(running);
  // What it finds late, it compiles again, and reloads the page in front of the visitor.
  expect(running.output()).not.toMatch(/new dependencies optimized|program reload/);
}, 180_000);

describe('at the build', () => {
  function buildWith(config: string): { status: number | null; output: string } {
    const file = path.join(app.folder, 'waku.config.ts');
    const before = readText(file);
    const head = `import { flightRecorder } from 'flight-recorder/waku';\nimport { defineConfig } from 'waku/config';\n`;
    writeFileSync(file, `${head}export default defineConfig(${config});`);
    try {
      const words = ['node_modules/waku/cli.js', 'build'];
      const env = { ...process.env, NODE_ENV: 'production' };
      const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: app.folder, env, encoding: 'utf8' });
      return { status, output: stdout + stderr };
    } finally {
      writeFileSync(file, before);
    }
  }

  test('says in one line which option is wrong', () => {
    const { status, output } = buildWith(`{ vite: { plugins: [flightRecorder({ mont: '/x' })] } }`);
    expect(status).toBe(1);
    expect(output).toContain('flightRecorder(): there is no option "mont"');
  });

  test('says that the plugin stands twice', () => {
    const { status, output } = buildWith('{ vite: { plugins: [flightRecorder(), flightRecorder()] } }');
    expect(status).toBe(1);
    expect(output).toContain('flightRecorder() stands twice in vite.plugins of waku.config.ts');
  });

  /** What only our modules say, in the JavaScript of a build. */
  const ours = /x-flight-|x-request-id|sentry-trace|kysely|flight-inside|startServerProcess/g;

  function readOurs(dist: string): string[] {
    const folder = path.join(app.folder, dist);
    const scripts = listFiles(folder).filter((file) => file.endsWith('.js'));
    return scripts.flatMap((file) => (readText(path.join(folder, file)).match(ours) ?? []).map((t) => `${file}: ${t}`));
  }

  test('has nothing of a part that is off', () => {
    const off = '{ digests: false, recorder: false, navigation: false, actions: false, reports: false, mount: false }';
    const { status, output } = buildWith(`{ distDir: 'dist-off', vite: { plugins: [flightRecorder(${off})] } }`);
    expect([status, output]).toEqual([0, expect.not.stringContaining('rror:')]);
    expect(readOurs('dist-off')).toEqual([]);
    const files = listFiles(path.join(app.folder, 'dist-off'));
    expect(files.filter((file) => /recorder-thread|reference-sources|flight-recorder|\.map$/.test(file))).toEqual([]);
  }, 120_000);

  test('has nothing that writes flights or takes reports where there are none', async () => {
    const off = '{ recorder: false, reports: false, mount: false }';
    const { status } = buildWith(`{ distDir: 'dist-off', vite: { plugins: [flightRecorder(${off})] } }`);
    expect(status).toBe(0);
    expect(readOurs('dist-off').filter((found) => found.endsWith('kysely'))).toEqual([]);
    const files = listFiles(path.join(app.folder, 'dist-off'));
    expect(
      files.filter((file) => /recording-|recorder-thread|reference-sources|second-part|vitals/.test(file)),
    ).toEqual([]);
    const scripts = files.filter((file) => file.endsWith('.js'));
    const texts = scripts.map((file) => readText(path.join(app.folder, 'dist-off', file))).join('');
    expect([texts.includes('about the same digest'), texts.includes('report-not-stored')]).toEqual([true, false]);
    // The field of the error page is there where somebody takes what is written.
    for (const FLIGHT_RECORDER of [undefined, `http://${'k'.repeat(32)}@127.0.0.1:1/acme-shop`]) {
      const env = { NODE_ENV: 'production', FLIGHT_RECORDER };
      await using running = await startApp(app.folder, ['dist-off/serve-node.js'], { env, ready: '/fine' });
      const page = await (await fetch(`${running.origin}/in-server`)).text();
      expect([readDigestIn(page), page.includes('<textarea')]).toEqual([
        expect.any(String),
        FLIGHT_RECORDER !== undefined,
      ]);
      const known: unknown = await (await fetch(`${running.origin}/_flight/feedback`)).json();
      expect(known).toMatchObject({ takesFeedback: FLIGHT_RECORDER !== undefined });
      const headers = { origin: running.origin, 'sec-fetch-site': 'same-origin' };
      const report = await fetch(`${running.origin}/_flight/tunnel`, { method: 'POST', body: 'x', headers });
      expect(report.status).toBe(404);
    }
  }, 120_000);

  test('refuses actions alone where strictActions is on', async () => {
    const config = `{ distDir: 'dist-strict', vite: { plugins: [flightRecorder({ strictActions: true, mount: false })] } }`;
    expect(buildWith(config).status).toBe(0);
    const options = { env: { NODE_ENV: 'production' }, ready: '/fine' };
    await using running = await startApp(app.folder, ['dist-strict/serve-node.js'], options);
    const { origin } = running;
    const page = await (await fetch(`${origin}/save`)).text();
    const name = /\$ACTION_ID_[\w#$]+/.exec(page)?.[0] ?? '';
    const call = { 'x-flight-action': name.slice('$ACTION_ID_'.length).replace('#', '/') };

    async function post(address: string, fields: Record<string, string>, headers: Record<string, string>) {
      const body = new FormData();
      for (const [key, value] of Object.entries(fields)) body.append(key, value);
      const response = await fetch(origin + address, { method: 'POST', body, headers });
      return [response.status, await response.text()];
    }

    const saved = (note: string) => [200, expect.stringMatching(new RegExp(`saved: (?:<!-- -->)?${note}<`))];
    const elsewhere = { origin: 'https://elsewhere.example' };
    expect(await post('/save', { [name]: '', note: 'one' }, { origin })).toEqual(saved('one'));
    expect(await post('/save', { [name]: '', note: 'two' }, elsewhere)).toEqual([403, expect.any(String)]);
    expect(await post('/save', { [`${name}gone`]: '', note: 'two' }, { origin })).toEqual([409, expect.any(String)]);
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`field${index}`, '']));
    expect(await post('/save', { [name]: '', ...many }, { origin })).toEqual([413, expect.any(String)]);
    const large = { file: 'x'.repeat(2 * 1024 * 1024) };
    expect(await post('/save', {}, { ...elsewhere, ...call })).toEqual([403, expect.stringContaining('wrong-origin')]);
    expect(await post(`/RSC/F/${call['x-flight-action']}.txt`, {}, { origin })).toEqual([404, expect.any(String)]);
    expect(await post('/save', { note: 'two' }, elsewhere)).toEqual(saved('one'));
    expect(await post('/upload', large, elsewhere)).toEqual([200, String(2 * 1024 * 1024)]);
    const plain = await fetch(`${origin}/save`, { method: 'POST', body: new URLSearchParams({ note: 'two' }) });
    expect([plain.status, await plain.text()]).toEqual(saved('one'));
  }, 120_000);

  test('refuses what no client could have written where blockForged is on', async () => {
    const config = `{ distDir: 'dist-guard', vite: { plugins: [flightRecorder({ blockForged: 'refuse', mount: false })] } }`;
    expect(buildWith(config).status).toBe(0);
    const options = { env: { NODE_ENV: 'production' }, ready: '/fine' };
    await using running = await startApp(app.folder, ['dist-guard/serve-node.js'], options);
    const { origin } = running;
    const page = await (await fetch(`${origin}/save`)).text();
    const name = /\$ACTION_ID_[\w#$]+/.exec(page)?.[0] ?? '';
    const id = name.slice('$ACTION_ID_'.length).replace('#', '/');

    async function call(address: string, body: string, headers: Record<string, string>) {
      const sent = { method: 'POST', body, headers: { 'content-type': 'text/plain;charset=UTF-8', ...headers } };
      const response = await fetch(origin + address, sent);
      return [response.status, (await response.text()).includes('forged-request')];
    }

    const header = { 'x-flight-action': id };
    expect(await call('/save', '["$0:constructor:constructor"]', header)).toEqual([403, true]);
    expect(await call(`/RSC/F/${id}.txt`, '["$0:constructor:constructor"]', {})).toEqual([403, true]);
    expect(await call('/save', JSON.stringify(['x'.repeat(2 * 1024 * 1024)]), header)).toEqual([403, true]);
    // The app has read all of it, and fails in its own way: there are no fields.
    expect(await call('/save', '[1]', header)).toEqual([expect.any(Number), false]);
    const form = new FormData();
    form.append(name, '');
    form.append('note', 'one');
    const saved = await (await fetch(`${origin}/save`, { method: 'POST', body: form })).text();
    expect(saved).toMatch(/saved: (?:<!-- -->)?one</);
    const large = new FormData();
    large.append('file', 'x'.repeat(2 * 1024 * 1024));
    const upload = await fetch(`${origin}/upload`, { method: 'POST', body: large });
    expect([upload.status, await upload.text()]).toEqual([200, String(2 * 1024 * 1024)]);
  }, 120_000);

  test('leaves an app with another adapter alone, and says so once', () => {
    const config = `{ distDir: 'dist-edge', unstable_adapter: 'waku/adapters/edge', vite: { plugins: [flightRecorder()] } }`;
    const { status, output } = buildWith(config);
    expect([status, output]).toEqual([0, expect.not.stringContaining('rror:')]);
    expect(output.match(/edge is not Waku's Node adapter/g)).toHaveLength(1);
    const files = listFiles(path.join(app.folder, 'dist-edge'));
    const notThere = /recording-|recorder-thread|reference-sources|flight-recorder|\.map$/;
    expect(files.filter((file) => notThere.test(file))).toEqual([]);
  }, 120_000);

  test('refuses an adapter that it is not around, unless nothing is left for the server', () => {
    const entry = path.join(app.folder, 'src/waku.server.ts');
    writeFileSync(
      entry,
      `
import { fsRouter } from 'waku';
import { unstable_createServerEntryAdapter } from 'waku/adapter-builders';
const adapter = unstable_createServerEntryAdapter(({ processRequest, processBuild }) => ({
  fetch: async (request: Request) => (await processRequest(request)) ?? new Response('none', { status: 404 }),
  build: processBuild,
}));
export default adapter(fsRouter(import.meta.glob('./pages/**/*.tsx')));`,
    );
    try {
      const refused = buildWith(`{ distDir: 'dist-own', vite: { plugins: [flightRecorder()] } }`);
      expect(refused.status).toBe(1);
      expect(refused.output).toContain("Flight Recorder is not in this app's server: it imports no adapter of Waku.");
      const off = '{ digests: false, recorder: false, actions: false, reports: false, mount: false }';
      const { status, output } = buildWith(`{ distDir: 'dist-own', vite: { plugins: [flightRecorder(${off})] } }`);
      expect([status, output]).toEqual([0, expect.not.stringContaining('rror:')]);
    } finally {
      rmSync(entry);
    }
  }, 180_000);

  test.each([
    {
      file: 'lib/vite-rsc/handler.js',
      from: '../utils/render.js',
      to: '../utils/./render.js',
      says: 'digests would be empty. Adjust the redirect to the installed versions.',
    },
    {
      file: 'lib/utils/managed.js',
      from: 'react-dom/client',
      to: 'waku/adapters/browser-root',
      says: 'has moved virtual:vite-rsc-waku/client-entry',
    },
  ])(
    'names what a version of Waku has moved: $from',
    ({ file, from, to, says }) => {
      const dist = path.join(app.folder, 'node_modules/waku/dist');
      // Below the only folder of Waku's whose files can be imported by any name.
      const root = path.join(dist, 'adapters/browser-root.js');
      writeFileSync(root, `export { createRoot, hydrateRoot } from 'react-dom/client';`);
      const moved = path.join(dist, file);
      const before = readText(moved);
      expect(before).toContain(from);
      writeFileSync(moved, before.replace(from, to));
      try {
        const { status, output } = buildWith(`{ distDir: 'dist-moved', vite: { plugins: [flightRecorder()] } }`);
        expect([status, output]).toEqual([1, expect.stringContaining(says)]);
      } finally {
        writeFileSync(moved, before);
        rmSync(root);
      }
    },
    120_000,
  );

  test('prints none of the warnings that source maps bring, and no word on adapters', () => {
    expect(built).not.toMatch(/SOURCEMAP_BROKEN|Node adapter/);
  });
});
