// Builds one of the two checkouts and starts it at a free port. It goes on when this ends: compare.mjs stops it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const [side = ''] = process.argv.slice(2);
const { BUILD = '', START = '', FOLDER = '.', RUNNER_TEMP = '.' } = process.env;
const folder = path.join(side, FOLDER);
const log = path.join(RUNNER_TEMP, `${side}.log`);

/** A server that needs longer is not started by a visitor's first request either. */
const longestStartMs = 60_000;

function fail(message) {
  console.error(`::error title=${side}::${message}`);
  process.exit(1);
}

async function findFreePort() {
  const server = net.createServer().listen(0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

const built = spawnSync('bash', ['-ec', BUILD], { cwd: folder, stdio: 'inherit' });
if (built.status !== 0) fail(`The ${side} could not be built: ${BUILD}`);

const port = await findFreePort();
const address = `http://localhost:${port}`;
const out = openSync(log, 'w');
// A group of its own: npm starts a shell, which starts the app.
const app = spawn('bash', ['-ec', START], {
  cwd: folder,
  env: { ...process.env, PORT: String(port) },
  stdio: ['ignore', out, out],
  detached: true,
});
app.on('error', (error) => fail(String(error)));
app.on('exit', (code) => {
  console.error(readFileSync(log, 'utf8'));
  fail(`The ${side} ended with ${code}: ${START}`);
});
writeFileSync(path.join(RUNNER_TEMP, `${side}.json`), JSON.stringify({ pid: app.pid, address }));

async function answers() {
  try {
    await (await fetch(address)).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

const end = Date.now() + longestStartMs;
while (!(await answers())) {
  if (Date.now() > end) {
    console.error(readFileSync(log, 'utf8'));
    process.kill(-app.pid, 'SIGTERM');
    fail(`The ${side} does not answer at ${address}`);
  }
  await wait(200);
}
app.unref();
process.exit(0);
