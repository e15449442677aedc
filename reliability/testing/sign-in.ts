import { request } from 'node:http';

import { runOperator } from './run-operator.ts';
import type { RunningServer } from './start-server.ts';

/** Signs in with a link from the command line. Returns what to write into `Cookie`. */
export async function signIn(server: RunningServer): Promise<string> {
  const { output, errors } = await runOperator(server.dataFolder, 'login-link');
  const [origin, code] = output.trim().split('/login#');
  if (origin !== server.origin || code === undefined) throw new Error(`no login link: ${output}${errors}`);
  const body = new URLSearchParams({ code }).toString();
  const headers = {
    origin,
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(body.length),
  };
  return await new Promise((resolve, reject) => {
    const sent = request(`${origin}/login`, { method: 'POST', headers, agent: false }, (response) => {
      response.resume();
      const [cookie = ''] = response.headers['set-cookie'] ?? [];
      const [pair = ''] = cookie.split(';', 1);
      if (response.statusCode === 303 && pair) resolve(pair);
      else reject(new Error(`not signed in: ${response.statusCode}`));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
