import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';

import { callAction, renderRequest } from '@parcel/rsc/node';

import { App } from './app.jsx';

async function handle(request, response) {
  const { pathname } = new URL(request.url, 'http://localhost');
  const file = `dist${pathname}`;
  if (pathname.startsWith('/client/') && existsSync(file)) {
    response.setHeader('Content-Type', 'text/javascript');
    createReadStream(file).pipe(response);
    return;
  }
  let root = <App path={pathname} />;
  if (request.method === 'POST') {
    const { result } = await callAction(request, request.headers['rsc-action-id']);
    root = { result, root };
  }
  await renderRequest(request, response, root, { component: App });
}

// The bundler puts the values of the build in the place of `process.env`.
createServer(handle).listen(Number(process.argv[2]), '127.0.0.1');
