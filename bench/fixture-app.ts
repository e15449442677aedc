import { spawn, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** The fixture with plain Waku, with our renderer and host, or with the recorder as well. */
export type Variant = 'plain' | 'ours' | 'recorded';

export type RunningApp = {
  readonly origin: string;
  readonly pid: number;
  /** What it has written so far, both streams. */
  output(): string;
  stop(): Promise<void>;
};

const root = path.join(import.meta.dirname, '..');
const folder = path.join(import.meta.dirname, 'fixture');
const wakuCli = path.join(root, 'node_modules/waku/cli.js');
/** A dev server bundles its dependencies first, which takes long on a busy machine. */
const startDeadlineMs = 60_000;

function fixtureEnv(variant: Variant, mode: 'production' | 'development'): NodeJS.ProcessEnv {
  const { VITEST: _vitest, ...env } = process.env;
  return { ...env, FIXTURE_RENDERER: variant, NODE_ENV: mode, NO_COLOR: '1' };
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  return await new Promise((resolve) => child.once('exit', resolve));
}

function collectOutput(child: ChildProcess): () => string {
  let output = '';
  const add = (chunk: unknown) => (output += String(chunk));
  child.stdout?.on('data', add);
  child.stderr?.on('data', add);
  return () => output;
}

/** Builds into `fixture/dist/<variant>`. @throws with the build's output when it fails */
export async function buildFixture(variant: Variant): Promise<void> {
  const child = spawn(process.execPath, [wakuCli, 'build'], { cwd: folder, env: fixtureEnv(variant, 'production') });
  const output = collectOutput(child);
  const code = await exitOf(child);
  if (code !== 0) throw new Error(`The ${variant} fixture does not build:\n${output()}`);
}

export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || !address) throw new Error('No free port on 127.0.0.1');
  return address.port;
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return true;
  } catch {
    // Not listening yet.
    return false;
  }
}

/** Runs a server and resolves when `readyPath` is answered. @throws with its output when it ends before that */
export async function runServer(
  command: readonly string[],
  options: { readonly port: number; readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly readyPath: string },
): Promise<RunningApp> {
  const child = spawn(process.execPath, command, {
    cwd: options.cwd,
    env: { ...options.env, PORT: String(options.port), HOST: '127.0.0.1' },
  });
  const output = collectOutput(child);
  const origin = `http://127.0.0.1:${options.port}`;
  const deadline = performance.now() + startDeadlineMs;
  while (!(await answers(origin + options.readyPath))) {
    const isLate = performance.now() > deadline;
    if (isLate) child.kill();
    if (isLate || child.exitCode !== null) throw new Error(`${command.join(' ')} did not start:\n${output()}`);
    await wait(20);
  }
  if (child.pid === undefined) throw new Error(`${command.join(' ')} has no process`);
  return {
    origin,
    pid: child.pid,
    output,
    async stop() {
      child.kill('SIGKILL');
      await exitOf(child);
    },
  };
}

/**
 * The built fixture (`buildFixture` first), or the dev server on its sources.
 * @param env in addition to this process's
 */
export async function startFixture(
  variant: Variant,
  mode: 'production' | 'development',
  env: NodeJS.ProcessEnv = {},
): Promise<RunningApp> {
  const port = await findFreePort();
  const command =
    mode === 'production'
      ? [`dist/${variant}/serve-node.js`]
      : [wakuCli, 'dev', '--port', String(port), '--host', '127.0.0.1'];
  // In a build the static page is a file, so that asking for it does not warm up the renderer.
  return runServer(command, { port, cwd: folder, env: { ...fixtureEnv(variant, mode), ...env }, readyPath: '/static' });
}
