import { rmSync } from 'node:fs';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { proveDigests, proveFlights, proveInterface } from './testing/prove-waku-app.ts';
import {
  createApp,
  listFiles,
  packRecorder,
  readText,
  startApp,
  type AppFiles,
  type WakuApp,
} from './testing/waku-app.ts';

/**
 * The plugin where an app has made more of its own: pnpm, a base path, entries of its own for server and browser with a middleware, the
 * React Compiler, Tailwind.
 */
const files: AppFiles = {
  'waku.config.ts': `
import babel from '@rolldown/plugin-babel';
import tailwindcss from '@tailwindcss/vite';
import react, { reactCompilerPreset } from '@vitejs/plugin-react';
import { flightRecorder } from 'flight-recorder/waku';
import { defineConfig } from 'waku/config';
export default defineConfig({
  basePath: '/shop/',
  vite: { plugins: [tailwindcss(), react(), babel({ presets: [reactCompilerPreset()] }), flightRecorder()] },
});`,
  'src/ui/styles.css': `@import 'tailwindcss';`,
  'src/pages/_layout.tsx': `
import '../styles.css';
import type { ReactNode } from 'react';
import { FlightRecorder, Link } from 'flight-recorder/waku';
export default function Layout({ children }: { children: ReactNode }) {
  return <div className="m-6"><Link to="/">Home</Link><FlightRecorder>{children}</FlightRecorder></div>;
}
export const getConfig = async () => ({ render: 'static' }) as const;`,
  'src/waku.server.tsx': `
import { fsRouter } from 'waku';
import adapter from 'waku/adapters/node';
export default adapter(fsRouter(import.meta.glob('./pages/**/*.tsx')), {
  middlewareFns: [
    () => async (c, next) => {
      await next();
      c.res.headers.set('x-own-middleware', 'ran');
    },
  ],
});`,
  'src/waku.client.tsx': `
import { createRoot, hydrateRoot } from 'react-dom/client';
import { Router } from 'waku/router/client';
globalThis.__OWN_ENTRY__ = true;
if (globalThis.__WAKU_HYDRATE__) hydrateRoot(document, <Router />);
else createRoot(document).render(<Router />);`,
};

let tarball: string;
let app: WakuApp;

beforeAll(() => {
  tarball = packRecorder();
  app = createApp({
    tarball,
    files,
    manager: ['npx', '--yes', 'pnpm@latest'],
    packages: {
      '@rolldown/plugin-babel': '^0.2.3',
      '@tailwindcss/vite': '4.3.3',
      '@vitejs/plugin-react': '^6.0.1',
      'babel-plugin-react-compiler': '^1.0.0',
      tailwindcss: '4.3.3',
    },
  });
  app.build();
}, 900_000);

afterAll(() => {
  app.remove();
  rmSync(path.dirname(tarball), { recursive: true });
});

test('works below a base path, with entries of the app’s own', async () => {
  const mount = '/shop/_flight';
  await using running = await startApp(app.folder, ['dist/serve-node.js'], { mount, env: { NODE_ENV: 'production' } });
  await proveDigests(running, '/shop');
  await proveFlights(running, '/shop');
  await proveInterface(running, 'closed', '/shop');
  expect((await fetch(`${running.origin}/shop/fine`)).headers.get('x-own-middleware')).toBe('ran');
  const assets = path.join(app.folder, 'dist/public/assets');
  const scripts = listFiles(assets).filter((file) => file.endsWith('.js'));
  expect(scripts.some((file) => readText(path.join(assets, file)).includes('__OWN_ENTRY__'))).toBe(true);
}, 180_000);

test('works so in development, too', async () => {
  const words = ['node_modules/waku/cli.js', 'dev', '--host', '127.0.0.1', '--port', '$PORT'];
  await using running = await startApp(app.folder, words, { mount: '/shop/_flight' });
  await proveDigests(running, '/shop');
  await proveFlights(running, '/shop');
  await proveInterface(running, 'open', '/shop');
}, 180_000);
