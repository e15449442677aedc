import type { RequestListener } from 'node:http';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { build } from 'vite';

import { Shop, ShopDocument } from './shop.ts';

/** React's own production build, as an app has it. */
async function buildClient(): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    publicDir: false,
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      lib: { entry: path.join(import.meta.dirname, 'client.ts'), name: 'app', formats: ['iife'] },
      write: false,
    },
  });
  const [bundle] = Array.isArray(result) ? result : [];
  const [chunk] = bundle?.output ?? [];
  return chunk?.type === 'chunk' ? chunk.code : '';
}

/** `/` is hydrated in an element, `/document` whole. The server says another time than the browser. */
export async function createHydratedApp(): Promise<RequestListener> {
  const client = await buildClient();
  const props = { now: '10:41:07' };
  const pages = new Map([
    [
      '/',
      `<!doctype html><html lang="en"><head><title>Shop</title></head><body><div id="root">${renderToString(
        createElement(Shop, props),
      )}</div><script src="/client.js"></script></body></html>`,
    ],
    ['/document', `<!doctype html>${renderToString(createElement(ShopDocument, { ...props, script: '/client.js' }))}`],
  ]);
  return ({ url = '' }, outgoing) => {
    if (url === '/client.js') return void outgoing.writeHead(200, { 'content-type': 'text/javascript' }).end(client);
    const page = pages.get(url);
    const headers = { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'gzip' };
    outgoing.writeHead(page === undefined ? 404 : 200, headers).end(gzipSync(page ?? ''));
  };
}
