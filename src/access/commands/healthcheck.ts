import 'server-only';

import { get } from 'node:http';

import { readSetting } from '#src/server/environment/read-setting.ts';
import { healthPath, mountPath, readyPath } from '#src/server/http/addresses.ts';
import { toConnectable } from '#src/server/http/server-settings.ts';
import { dataFolder } from '#src/store/data-folder.ts';
import { readInstance, readMount } from '#src/store/instance-file.ts';
import { isAlive } from '#src/store/is-alive.ts';
import { describeError } from '#boundary';

/** An answer that comes later is of no use to a probe; Docker's own limit is 30 s. */
const timeoutMs = 5_000;

function readStatus(hostname: string, port: number, path: string): Promise<number> {
  // The loopback address is always on the server's list of names, whatever address it listens on.
  const headers = { host: `127.0.0.1:${port}` };
  return new Promise((resolve, reject) => {
    const request = get({ hostname, port, path, headers, timeout: timeoutMs }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
    request.on('error', reject);
  });
}

/** The server that answers on `folder`: where people open it, and where this machine reaches it. */
export async function findServer(folder: string): Promise<{ origin: string; base: string } | undefined> {
  const instance = readInstance(folder);
  if (instance?.state !== 'running' || !isAlive(instance.pid)) return undefined;
  const { hostname, port } = instance.address;
  const [name, mount] = [toConnectable(hostname), readMount(instance)];
  try {
    const status = await readStatus(name, port, mount + healthPath);
    const base = `http://${name.includes(':') ? `[${name}]` : name}:${port}${mount}`;
    return status === 200 ? { origin: instance.origin, base } : undefined;
  } catch {
    // It was killed, and could not say that it ended.
    return undefined;
  }
}

/**
 * Where the server says that it is; where it cannot say so, having no data folder, its settings are those of this command.
 * @throws when no server runs on the folder
 */
function findAddress(): { readonly hostname: string; readonly port: number; readonly mount: string } {
  const folder = dataFolder();
  const instance = readInstance(folder);
  if (instance?.state === 'running') return { ...instance.address, mount: readMount(instance) };
  if (readSetting('DATABASE_URL') === undefined) throw new Error(`no server runs on ${folder}`);
  return { hostname: readSetting('HOST'), port: readSetting('PORT'), mount: mountPath };
}

/** `healthcheck`: for containers, whose images have neither shell nor curl. One line; 0 when the server is ready. */
export async function checkHealth(args: readonly string[]): Promise<number> {
  if (args.length > 0) return 2;
  const { hostname, port, mount } = findAddress();
  let status: number;
  try {
    status = await readStatus(toConnectable(hostname), port, mount + readyPath);
  } catch (error) {
    throw new Error(`no answer at ${hostname}:${port} (${describeError(error)})`, {
      cause: error,
    });
  }
  process.stdout.write(`${status === 200 ? 'ready' : 'not ready'}: ${hostname}:${port} answered ${status}\n`);
  return status === 200 ? 0 : 1;
}
