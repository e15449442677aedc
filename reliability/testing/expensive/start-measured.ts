import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';

import { addApp } from '../../../e2e/testing/add-app.ts';
import { startServer, type RunningServer } from '../start-server.ts';
import type { Stops } from './measure-stops.ts';
import type { Recipe } from './recipe.ts';
import { writeRequest } from './write-request.ts';

/** The server as its unit starts it, and the proxy before an app; both say how long they stopped. */
export type Measured = {
  /** How it was answered, and the longest stop of the thread that did. */
  readonly ask: (recipe: Recipe) => Promise<Stops & { readonly status: string }>;
  /** Of whichever process a recipe is for, when its garbage is collected. */
  readonly readRss: (recipe: Recipe) => Promise<number>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

const root = path.join(import.meta.dirname, '../../..');
const preload = path.join(import.meta.dirname, 'measure-stops.ts');
/** Longer than the server waits for a body that stops. */
const answerMs = 8_000;
/** One request's writes are apart by this. */
const pauseMs = 3;

/** Node's flags in the unit of `deploy/`. */
function readUnitFlags(): readonly string[] {
  const unit = readFileSync(path.join(root, 'deploy/flight-recorder.service'), 'utf8');
  return /^ExecStart=\S*node (.*) dist\//m.exec(unit)?.[1]?.split(' ') ?? [];
}

function readPublicKey({ dataFolder }: RunningServer): string {
  const database = new DatabaseSync(path.join(dataFolder, 'flight.db'), { readOnly: true });
  const key = database.prepare("select public_key from app where id = 'shop'").get()?.['public_key'];
  database.close();
  return String(key);
}

async function readStops(socketPath: string, command = 'stops'): Promise<Stops> {
  const socket = connect(socketPath);
  socket.write(`${command}\n`);
  let text = '';
  for await (const piece of socket) text += String(piece);
  return JSON.parse(text);
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** @returns the first line of the answer */
async function send(port: number, pieces: readonly Buffer[]): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let text = '';
  const closed = new Promise<void>((resolve) => socket.on('error', () => undefined).on('close', () => resolve()));
  socket.setTimeout(answerMs, () => socket.destroy());
  socket.on('data', (data: Buffer) => {
    if (text.length < 100) text += data.toString('latin1', 0, 100);
  });
  for (const [index, piece] of pieces.entries()) {
    if (index > 1) await wait(pauseMs);
    socket.write(piece);
  }
  await closed;
  return text.split('\r\n', 1)[0] ?? '';
}

async function startChild(script: string, args: readonly string[], flags: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [...flags, path.join(root, 'reliability/testing', script), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (!child.stdout) throw new Error('no process');
  const [line]: unknown[] = await once(createInterface(child.stdout), 'line');
  return { child, port: Number(line) };
}

export async function startMeasured(folder: string): Promise<Measured> {
  const sockets = { server: path.join(folder, 'server.sock'), proxy: path.join(folder, 'proxy.sock') };
  const flags = [...readUnitFlags(), '--import', preload];
  const server = await startServer({
    nodeOptions: flags,
    env: {
      FLIGHT_AUTH: 'on',
      TRUSTED_PROXIES: '127.0.0.1',
      MALLOC_ARENA_MAX: '2',
      MEASURE_SOCKET: sockets.server,
    },
  });
  const children: ChildProcess[] = [];
  await addApp('shop', server.dataFolder);
  const publicKey = readPublicKey(server);
  const script = readdirSync(path.join(root, 'dist/public/assets')).find((name) => name.endsWith('.js')) ?? '';
  const app = await startChild('reading-app-child.ts', [], [], {});
  const proxyEnv = { MEASURE_SOCKET: sockets.proxy, MALLOC_ARENA_MAX: '2' };
  const proxy = await startChild('proxy-child.ts', [`http://127.0.0.1:${app.port}`], flags, proxyEnv);
  children.push(app.child, proxy.child);

  /** What ends a process is more expensive than anything. */
  async function readStopsOf(recipe: Recipe): Promise<Stops> {
    const isProxy = recipe.endpoint === 'proxy';
    try {
      return await readStops(isProxy ? sockets.proxy : sockets.server);
    } catch (cause) {
      const lines = isProxy
        ? []
        : server
            .lines()
            .slice(-15)
            .map(({ text }) => text);
      const exit = isProxy ? '' : JSON.stringify(await Promise.race([server.exited, wait(1_000)]));
      throw new Error(
        ['No answer after this, or those before it:', JSON.stringify(recipe), exit, ...lines].join('\n'),
        { cause },
      );
    }
  }

  let senders = 0;
  const socketOf = ({ endpoint }: Recipe) => (endpoint === 'proxy' ? sockets.proxy : sockets.server);
  return {
    async ask(recipe) {
      senders += 1;
      const from = `198.${18 + ((senders >> 16) & 1)}.${(senders >> 8) & 255}.${senders & 255}`;
      const pieces = writeRequest(recipe, { host: server.host, publicKey, script, from });
      await readStopsOf(recipe);
      const status = await send(recipe.endpoint === 'proxy' ? proxy.port : server.port, pieces);
      // What is left of the work when the answer is sent: a write, a report that is stored later.
      await wait(20);
      const stops = await readStopsOf(recipe);
      return { ...stops, status };
    },
    readRss: async (recipe) => (await readStops(socketOf(recipe), 'collect')).rssMib,
    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill('SIGKILL');
      await server[Symbol.asyncDispose]();
    },
  };
}
