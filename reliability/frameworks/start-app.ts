import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { findFreePort } from '../testing/start-server.ts';
import type { Framework } from './expected-exchange.ts';

/** An app of another framework: copied to a folder of its own, installed, built and started there. */
type RunningApp = {
  readonly port: number;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

const startDeadlineMs = 60_000;
const pollMs = 100;

const environment: NodeJS.ProcessEnv = {
  ...process.env,
  NODE_ENV: 'production',
  NEXT_TELEMETRY_DISABLED: '1',
  WRANGLER_SEND_METRICS: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  // Node 24 stands first, so that a framework's own scripts use it, too.
  PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env['PATH'] ?? ''}`,
};

/** The versions in package.json are exact. What they depend on is as new as the registry has it on the day of the run. */
function buildApp(sources: readonly string[], folder: string): void {
  if (existsSync(path.join(folder, '.built'))) return;
  mkdirSync(folder, { recursive: true });
  for (const source of sources) cpSync(path.join(import.meta.dirname, source), folder, { recursive: true });
  const options = { cwd: folder, env: environment, stdio: 'pipe' } as const;
  execFileSync('npm', ['install', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], options);
  execFileSync('npm', ['run', 'build'], options);
  mkdirSync(path.join(folder, '.built'));
}

async function answers(port: number): Promise<boolean> {
  try {
    await fetch(`http://127.0.0.1:${port}/heavy`);
    return true;
  } catch {
    return false;
  }
}

/** @throws with what the app printed when it ends instead of answering */
async function startApp(folder: string, args: readonly string[]): Promise<RunningApp> {
  const port = await findFreePort();
  const child = spawn(
    process.execPath,
    args.map((arg) => arg.replace('$PORT', String(port))),
    {
      cwd: folder,
      env: { ...environment, PORT: String(port), HOST: '127.0.0.1' },
      stdio: 'pipe',
      detached: true,
    },
  );
  // With what it has started itself: RedwoodSDK's preview starts workerd, which would stay.
  const kill = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
  const exited = new Promise((resolve) => child.once('close', resolve));
  const deadline = performance.now() + startDeadlineMs;
  while (!(await answers(port))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      if (child.exitCode === null) kill();
      throw new Error(`${folder} did not start:\n${output}`);
    }
    await wait(pollMs);
  }
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      kill();
      await exited;
    },
  };
}

/** @param build of several of the same sources, which one: each is installed and built in a folder of its own */
export async function startFramework({ name, sources, start }: Framework, build = ''): Promise<RunningApp> {
  const folder = path.join(process.env['FRAMEWORKS_FOLDER'] ?? '', `${name}${build}`);
  buildApp(sources, folder);
  return await startApp(folder, start);
}
