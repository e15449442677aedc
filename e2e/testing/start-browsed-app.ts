import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import path from 'node:path';

import { startCommand, type RunningCommand } from '../../reliability/testing/run-command.ts';
import { findFreePort } from '../../reliability/testing/start-server.ts';

/** An app that knows nothing of the recorder, with `proxy --browser` in front. */
export type BrowsedApp = {
  /** Where visitors are. */
  readonly origin: string;
  /** The app without the proxy. */
  readonly appOrigin: string;
  readonly proxy: RunningCommand;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

const root = path.join(import.meta.dirname, '../..');

/** @param app its id; it is recorded in the data folder of the server that the journeys look at */
export async function startBrowsedApp(app: string, listener: RequestListener): Promise<BrowsedApp> {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const appOrigin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const port = String(await findFreePort());
  const options = ['--to', appOrigin, '--port', port, '--app', app, '--browser'];
  const proxy = startCommand(process.execPath, [path.join(root, 'bin/flight-recorder.mjs'), 'proxy', ...options], {
    cwd: root,
    env: { ...process.env, FLIGHT_DATA: process.env['E2E_DATA'] },
  });
  await proxy.waitFor(/What is kept/);
  return {
    origin: `http://127.0.0.1:${port}`,
    appOrigin,
    proxy,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
    },
  };
}
