import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { findFreePort } from './fixture-app.ts';
import { readRss } from './process-usage.ts';

/** From the process's start to the first answer, and the memory it holds when idle. */
export type ColdStart = { readonly startMs: number; readonly rssMiB: number };

const root = path.join(import.meta.dirname, '..');
/** After this time, the start's garbage is collected and none of its work still runs. */
const idleMs = 2_000;
const startDeadlineMs = 20_000;

async function isAnswered(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () =>
      socket.write(`GET /healthz HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n\r\n`),
    );
    socket.on('data', (data) => resolve(data.toString('latin1').startsWith('HTTP/1.1 200')));
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(false));
  });
}

/** Starts the main app's build, with an empty data folder. @param sentryDsn undefined for no forwarding */
export async function measureColdStart(sentryDsn: string | undefined): Promise<ColdStart> {
  const data = mkdtempSync(path.join(tmpdir(), 'flight-recorder-bench-'));
  const port = await findFreePort();
  const begin = performance.now();
  const child = spawn(process.execPath, ['dist/serve-node.js'], {
    cwd: root,
    stdio: 'ignore',
    env: {
      ...process.env,
      NODE_ENV: 'production',
      PORT: String(port),
      HOST: '127.0.0.1',
      FLIGHT_DATA: data,
      SENTRY_DSN: sentryDsn,
    },
  });
  try {
    while (!(await isAnswered(port))) {
      if (child.exitCode !== null) throw new Error('The main app ended at its start; `npm start` shows why');
      if (performance.now() - begin > startDeadlineMs) throw new Error('The main app did not start');
      await wait(2);
    }
    const startMs = performance.now() - begin;
    await wait(idleMs);
    return { startMs, rssMiB: readRss(child.pid ?? 0) };
  } finally {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    if (child.exitCode === null) await exited;
    rmSync(data, { recursive: true, force: true });
  }
}
