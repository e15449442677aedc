import { createServer } from 'node:net';
import path from 'node:path';

/** Of ports from the usual one on. Somebody who has this many servers names one. */
const portsTried = 10;

/** @returns what keeps a server from listening there, as the system says it; undefined when nothing does */
async function findObstacle(host, port) {
  const server = createServer();
  try {
    await new Promise((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  } catch (error) {
    return error.code ?? String(error);
  }
  await new Promise((resolve) => server.close(resolve));
  return undefined;
}

/**
 * Where dev listens: at the port that somebody named, and nowhere else; without one, at the first from `usual` on that is free.
 * @param {{ host: string, given: string | undefined, usual: string, command: string }} wanted
 * @returns {Promise<string>}
 * @throws with one line that says what to type
 */
export async function choosePort({ host, given, usual, command }) {
  if (given !== undefined) {
    const obstacle = await findObstacle(host, Number(given));
    if (obstacle === undefined) return given;
    if (obstacle !== 'EADDRINUSE') throw new Error(`it cannot listen on ${host}, port ${given} (${obstacle})`);
    throw new Error(`port ${given} is in use. Stop what listens there, or type: PORT=${Number(given) + 1} ${command}`);
  }
  for (let port = Number(usual); port < Number(usual) + portsTried; port++) {
    if ((await findObstacle(host, port)) !== 'EADDRINUSE') return String(port);
  }
  const last = Number(usual) + portsTried - 1;
  throw new Error(`the ports ${usual} to ${last} are in use. Name another: PORT=${last + 1} ${command}`);
}

/**
 * The data folder of dev: the usual one, or one of its own beside it while a server has that. A folder that somebody named is
 * taken as it is.
 * @param {{ usual: string, given: string | undefined, instances: Pick<typeof import('../src/store/instance.ts'), 'hasServer' |
 *   'withoutServer'>, readHolder: typeof import('../src/store/instance-file.ts').readInstance }} known
 * @returns {Promise<{ folder: string, line?: string }>} with one line for the person where it is another than usual
 * @throws with one line that names the process that has it
 */
export async function chooseData({ usual, given, instances, readHolder }) {
  const folder = path.resolve(given ?? usual);
  if (!instances.hasServer(folder)) return { folder };
  const own = `${folder}-dev`;
  // It throws, and names the server that runs.
  if (given !== undefined) await instances.withoutServer(folder, async () => undefined);
  if (instances.hasServer(own)) await instances.withoutServer(own, async () => undefined);
  const { pid, origin } = readHolder(folder) ?? {};
  const holder = pid === undefined ? 'another process' : `the server at ${origin} (process ${pid})`;
  return { folder: own, line: `${folder} is in use by ${holder}, so the data is in ${own}` };
}
