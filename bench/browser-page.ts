import { once } from 'node:events';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';

/** The app of `npm run bench browser`, in a process of its own: one page, plain or compressed, with a script. It prints its port. */
const rows = '<li class="row"><a href="/some/page">a page as apps send it</a></li>\n'.repeat(200);
const page = Buffer.from(
  `<!DOCTYPE html><html lang="en"><head><title>Shop</title><style>li{padding:4px}</style></head><body><h1>Shop</h1>` +
    `<ul>${rows}</ul><script src="/app.js"></script></body></html>`,
);
const packed = gzipSync(page);
const code = Buffer.from('for(const row of document.querySelectorAll(".row"))row.dataset.seen="1";');

const server = createServer(({ url = '' }, outgoing) => {
  const isScript = url.startsWith('/app.js');
  const isPacked = url.startsWith('/packed');
  const body = isScript ? code : isPacked ? packed : page;
  outgoing.writeHead(200, {
    'content-type': isScript ? 'text/javascript' : 'text/html; charset=utf-8',
    'content-length': body.length,
    ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
  });
  outgoing.end(body);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
if (typeof address !== 'object' || !address) throw new Error('no port');
console.log(address.port);
