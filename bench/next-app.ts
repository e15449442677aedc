import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { findFreePort, runServer, type RunningApp } from './fixture-app.ts';

/**
 * The fixture's rows on Next.js, in a scratch folder outside the tree: it is not one of our dependencies. The folder is
 * kept between runs, since installing takes longer than measuring.
 */
const versions = { next: '16.4.6', react: '19.3.1', 'react-dom': '19.3.1' };
const folder = path.join(tmpdir(), `flight-recorder-bench-next-${versions.next}`);
const components = path.join(import.meta.dirname, 'fixture/src/components');

const files: Record<string, string> = {
  'package.json': JSON.stringify({ private: true, type: 'module', dependencies: versions }),
  'next.config.js': 'export default { compress: false, typescript: { ignoreBuildErrors: true } };\n',
  'app/layout.jsx': `import Link from 'next/link';
export default function Layout({ children }) {
  return <html lang="en"><body><nav><Link href="/" prefetch={false}>rows</Link></nav>{children}</body></html>;
}
`,
  'app/page.jsx': `import { RowList } from '../components/row-list.tsx';
export const dynamic = 'force-dynamic';
export default function Page() { return <RowList title="Dynamic rows" />; }
`,
  'app/static/page.jsx': `import { RowList } from '../../components/row-list.tsx';
export default function Page() { return <RowList title="Static rows" />; }
`,
  'app/action/page.jsx': `import { AddForm } from './add-form.jsx';
export const dynamic = 'force-dynamic';
export default function Page() { return <main><h1>Action</h1><AddForm /></main>; }
`,
  'app/action/add-form.jsx': `'use client';
import { useState } from 'react';
import { increment } from './increment.js';
export function AddForm() {
  const [calls, setCalls] = useState(0);
  return <button onClick={async () => setCalls(await increment(calls))}>Call {calls}</button>;
}
`,
  'app/action/increment.js': `'use server';
export async function increment(count) { return count + 1; }
`,
};

function write(): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  mkdirSync(path.join(folder, 'components'), { recursive: true });
  for (const name of ['row-list.tsx', 'counter.tsx']) {
    copyFileSync(path.join(components, name), path.join(folder, 'components', name));
  }
}

/** Installs, builds and starts it. */
export async function startNext(): Promise<RunningApp> {
  write();
  const env = { ...process.env, NODE_ENV: 'production' as const, NEXT_TELEMETRY_DISABLED: '1' };
  if (!existsSync(path.join(folder, 'node_modules/next'))) {
    console.log(`Installing Next.js ${versions.next} in ${folder} …`);
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, stdio: 'inherit' });
  }
  const cli = path.join(folder, 'node_modules/next/dist/bin/next');
  console.log('Building the Next.js app …');
  execFileSync(process.execPath, [cli, 'build'], { cwd: folder, stdio: 'ignore', env });
  const port = await findFreePort();
  const command = [cli, 'start', '--port', String(port), '--hostname', '127.0.0.1'];
  return runServer(command, { port, cwd: folder, env, readyPath: '/static' });
}

/** The id of `increment`, which Next.js reads from the header `next-action`. */
export function readNextActionId(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(path.join(folder, '.next/server/server-reference-manifest.json'), 'utf8'),
  );
  const actions = typeof manifest === 'object' && manifest && 'node' in manifest ? manifest.node : undefined;
  const [id] = typeof actions === 'object' && actions ? Object.keys(actions) : [];
  if (!id) throw new Error('Next.js built no server action');
  return id;
}

/**
 * The address at which Next.js answers with the payload of `/`: it redirects to an address with a hash of the request's
 * headers.
 */
export async function findNextPayload(origin: string): Promise<string> {
  const response = await fetch(`${origin}/`, { headers: { rsc: '1' }, redirect: 'manual' });
  const location = response.headers.get('location');
  if (!location) return '/';
  const { pathname, search } = new URL(location, origin);
  return pathname + search;
}
