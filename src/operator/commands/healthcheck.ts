import 'server-only';

import { get } from 'node:http';

import { dataFolder } from '#src/store/data-folder.ts';
import { readInstance } from '#src/store/instance.ts';
import { describeError } from '#src/http/describe-error.ts';

/** A probe that waits longer is answered too late to be of use; Docker's own limit is 30 s. */
const timeoutMs = 5_000;

function readStatus(hostname: string, port: number): Promise<number> {
  // A name of this machine is always on the server's list, whatever address it listens on.
  const headers = { host: `127.0.0.1:${port}` };
  return new Promise((resolve, reject) => {
    const request = get({ hostname, port, path: '/readyz', headers, timeout: timeoutMs }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
    request.on('error', reject);
  });
}

/** Where a server that listens on all addresses of this machine can be asked from here. */
function toConnectable(hostname: string): string {
  if (hostname === '0.0.0.0') return '127.0.0.1';
  return hostname === '::' || hostname === '[::]' ? '::1' : hostname.replace(/^\[|\]$/g, '');
}

/** `healthcheck`: for containers, whose images have neither shell nor curl. One line; 0 when the server is ready. */
export async function checkHealth(args: readonly string[]): Promise<number> {
  if (args.length > 0) return 2;
  const folder = dataFolder();
  const instance = readInstance(folder);
  if (instance?.state !== 'running') throw new Error(`no server runs on ${folder}`);
  const { hostname, port } = instance.address;
  let status: number;
  try {
    status = await readStatus(toConnectable(hostname), port);
  } catch (error) {
    throw new Error(`no answer at ${hostname}:${port} (${describeError(error)})`, {
      cause: error,
    });
  }
  process.stdout.write(`${status === 200 ? 'ready' : 'not ready'}: ${hostname}:${port} answered ${status}\n`);
  return status === 200 ? 0 : 1;
}
