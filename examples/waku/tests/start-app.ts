import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}

async function waitUntilServed(origin: string): Promise<void> {
  const end = Date.now() + 30_000;
  while (Date.now() < end) {
    const response = await fetch(origin).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${origin} does not answer`);
}

/** Starts the built app, with a data folder of its own. */
export async function startApp(): Promise<{ origin: string; stop: () => Promise<void> }> {
  const port = await findFreePort();
  const data = mkdtempSync(path.join(tmpdir(), 'guest-book-'));
  const child = spawn(
    process.execPath,
    ['node_modules/waku/cli.js', 'start', '--host', '127.0.0.1', '--port', String(port)],
    {
      env: { ...process.env, NODE_ENV: 'production', FLIGHT_DATA: data },
      stdio: 'ignore',
    },
  );
  const origin = `http://127.0.0.1:${port}`;
  await waitUntilServed(`${origin}/about`);
  return {
    origin,
    async stop() {
      child.kill();
      await once(child, 'exit');
      rmSync(data, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}
