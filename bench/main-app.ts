import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { findFreePort, runServer } from './fixture-app.ts';

/** A build of the app itself, running with an empty data folder and signed in. */
export type MainApp = {
  readonly origin: string;
  readonly port: number;
  readonly pid: number;
  /** The headers of a signed-in request: `cookie: …`; none where the build has no login. */
  readonly headers: readonly string[];
  stop(): Promise<void>;
};

/** The link's code is used up by a POST, as on the login page. */
async function signIn(folder: string, origin: string, data: string): Promise<string[]> {
  // A build from before the one command has a command line of the operator's.
  const files = ['command.js', 'operator.js'].map((name) => path.join(folder, 'dist', name));
  const operator = files.find(existsSync) ?? '';
  const { stdout } = await promisify(execFile)(process.execPath, [operator, 'login-link'], {
    cwd: folder,
    env: { ...process.env, FLIGHT_DATA: data },
  });
  const code = /#([\w-]+)/.exec(stdout)?.[1];
  if (!code) throw new Error(`No login link in:\n${stdout}`);
  const response = await fetch(`${origin}/login`, {
    method: 'POST',
    headers: { accept: 'application/json', origin },
    body: new URLSearchParams({ code }),
  });
  const [cookie = ''] = (response.headers.getSetCookie()[0] ?? '').split(';');
  if (!response.ok || !cookie) throw new Error(`The login was answered ${response.status}: ${await response.text()}`);
  return [`cookie: ${cookie}`];
}

/** A build from before the login existed answers its front page to anybody. */
async function asksForLogin(origin: string): Promise<boolean> {
  const response = await fetch(origin, { redirect: 'manual' });
  await response.arrayBuffer();
  return response.status !== 200;
}

/**
 * @param folder the one that holds `dist`
 * @param nodeOptions before the script, like `--max-old-space-size=128`
 * @param env in addition to this process's
 */
export async function startMainApp(
  folder: string,
  nodeOptions: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<MainApp> {
  const data = mkdtempSync(path.join(tmpdir(), 'flight-recorder-bench-'));
  const port = await findFreePort();
  const running = await runServer([...nodeOptions, 'dist/serve-node.js'], {
    port,
    cwd: folder,
    env: { ...process.env, NODE_ENV: 'production', FLIGHT_DATA: data, ...env },
    readyPath: '/healthz',
  });
  async function stop(): Promise<void> {
    await running.stop();
    rmSync(data, { recursive: true, force: true });
  }
  try {
    const isClosed = await asksForLogin(running.origin);
    const headers = isClosed ? await signIn(folder, running.origin, data) : [];
    return { origin: running.origin, port, pid: running.pid, headers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export type AppRequest = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: readonly string[];
  readonly body?: string;
};

/** The whole request as it is sent over the wire. */
export function toWire(app: MainApp, { method, path: target, headers = [], body = '' }: AppRequest): string {
  const host = `host: ${new URL(app.origin).host}`;
  const length = method === 'POST' ? [`origin: ${app.origin}`, `content-length: ${Buffer.byteLength(body)}`] : [];
  const lines = [`${method} ${target} HTTP/1.1`, host, ...app.headers, ...headers, ...length];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
