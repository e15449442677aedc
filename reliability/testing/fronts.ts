import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { accessSync, chmodSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { findFreePort } from './start-server.ts';

/**
 * The sample fronts of `deploy/`, changed only where a test needs it: the name is `localhost`, the ports are free ones,
 * and the certificate is made for the test.
 */
export type FrontName = 'nginx' | 'caddy';

export type Front = {
  readonly port: number;
  readonly origin: string;
  /** The client must trust it. */
  readonly certificate: string;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

const samples = path.join(import.meta.dirname, '../../deploy');
const startDeadlineMs = 10_000;
const pollMs = 20;

/** Debian puts nginx where only root's PATH looks. */
function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders
    .map((folder) => path.join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Whether the front is installed, and also the program that makes its certificate. */
export function isInstalled(name: FrontName): boolean {
  return findProgram(name) !== undefined && findProgram('openssl') !== undefined;
}

function makeCertificate(folder: string): { certificate: string; key: string } {
  const certificate = path.join(folder, 'certificate.pem');
  const key = path.join(folder, 'key.pem');
  const kind = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1';
  const name = '-subj /CN=localhost -addext subjectAltName=DNS:localhost';
  const args = ['req', ...`${kind} ${name}`.split(' '), '-keyout', key, '-out', certificate];
  execFileSync('openssl', args, { stdio: 'ignore' });
  return { certificate, key };
}

/** @throws when `text` has no `from`: the sample has changed, and this test would run something else */
function replace(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`The sample has no ${JSON.stringify(from)}`);
  return text.replaceAll(from, to);
}

type Setting = {
  readonly folder: string;
  readonly port: number;
  readonly appPort: number;
  readonly redirectPort: number;
};

function writeNginx(
  { folder, port, appPort, redirectPort }: Setting,
  pair: { certificate: string; key: string },
): string {
  let site = readFileSync(path.join(samples, 'nginx.conf'), 'utf8');
  for (const [from, to] of [
    ['127.0.0.1:3000', `127.0.0.1:${appPort}`],
    ['listen 443 ssl http2;', `listen 127.0.0.1:${port} ssl http2;`],
    ['listen [::]:443 ssl http2;', ''],
    ['listen 80;', `listen 127.0.0.1:${redirectPort};`],
    ['listen [::]:80;', ''],
    ['server_name flight.example;', 'server_name localhost;'],
    ['/etc/letsencrypt/live/flight.example/fullchain.pem', pair.certificate],
    ['/etc/letsencrypt/live/flight.example/privkey.pem', pair.key],
  ] as const) {
    site = replace(site, from, to);
  }
  const file = path.join(folder, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  writeFileSync(
    file,
    `daemon off; pid ${folder}/pid; error_log stderr warn; events {}
http { access_log off; ${temporary.join(' ')}
${site}}
`,
  );
  return file;
}

function writeCaddy({ folder, port, appPort }: Setting, pair: { certificate: string; key: string }): string {
  let site = readFileSync(path.join(samples, 'Caddyfile'), 'utf8');
  const address = `https://localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${pair.certificate} ${pair.key}`;
  site = replace(replace(site, '\nflight.example {', `\n${address}`), '127.0.0.1:3000', `127.0.0.1:${appPort}`);
  const file = path.join(folder, 'Caddyfile');
  writeFileSync(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
  return file;
}

function start(name: FrontName, setting: Setting, pair: { certificate: string; key: string }): ChildProcess {
  const program = findProgram(name) ?? name;
  const { folder } = setting;
  // Caddy writes its files into the home folder.
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const args =
    name === 'nginx'
      ? ['-p', folder, '-e', 'stderr', '-c', writeNginx(setting, pair)]
      : ['run', '--adapter', 'caddyfile', '--config', writeCaddy(setting, pair)];
  return spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function isListening(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('connect', () => socket.destroy()).on('error', () => resolve(false));
  });
}

/** @throws with what the front wrote when it does not start */
export async function startFront(name: FrontName, port: number, appPort: number): Promise<Front> {
  const folder = mkdtempSync(path.join(tmpdir(), `flight-recorder-${name}-`));
  // When root starts nginx, its workers run as another user.
  chmodSync(folder, 0o755);
  mkdirSync(path.join(folder, 'logs'));
  const pair = makeCertificate(folder);
  const child = start(name, { folder, port, appPort, redirectPort: await findFreePort() }, pair);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
  const closed = new Promise((resolve) => child.once('close', resolve));

  async function stop(): Promise<void> {
    child.kill('SIGTERM');
    await closed;
    rmSync(folder, { recursive: true, force: true });
  }

  const deadline = performance.now() + startDeadlineMs;
  while (!(await isListening(port))) {
    if (child.exitCode === null && performance.now() < deadline) {
      await wait(pollMs);
      continue;
    }
    await stop();
    throw new Error(`${name} did not start:\n${output}`);
  }
  const certificate = readFileSync(pair.certificate, 'utf8');
  return { port, origin: `https://localhost:${port}`, certificate, [Symbol.asyncDispose]: stop };
}
