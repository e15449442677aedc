import { createServer } from 'node:http';

/** A plain Node app that reads what is uploaded, to compare memory with: it prints its port. */
const server = createServer((request, response) => {
  request.on('end', () => response.end('ok')).resume();
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(typeof address === 'object' ? address?.port : address);
});
