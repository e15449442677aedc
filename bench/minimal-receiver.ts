import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * What cannot be beaten: a receiver that does nothing but its duty. It reads the body, parses the envelope's JSON, inserts the event as
 * one row, and answers when the row is on disk. As the recorder does, it commits what came meanwhile with one transaction.
 */
const database = new DatabaseSync(path.join(process.env['FLIGHT_DATA'] ?? '.', 'minimal.db'));
database.exec(
  'pragma journal_mode = wal; pragma synchronous = full; create table event (id text primary key, body text)',
);
const insert = database.prepare('insert into event values (?, ?)');

type Waiting = { readonly id: string; readonly body: string; readonly response: ServerResponse };
let waiting: Waiting[] = [];

function commit(): void {
  const batch = waiting;
  waiting = [];
  database.exec('begin');
  for (const { id, body } of batch) insert.run(id, body);
  database.exec('commit');
  for (const { id, response } of batch) response.end(JSON.stringify({ id }));
}

function take(chunks: readonly Buffer[], response: ServerResponse): void {
  const [, , payload = ''] = Buffer.concat(chunks).toString('utf8').split('\n');
  const event: { event_id: string } = JSON.parse(payload);
  if (waiting.push({ id: event.event_id, body: JSON.stringify(event), response }) === 1) setImmediate(commit);
}

createServer((request: IncomingMessage, response: ServerResponse) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => (request.method === 'POST' ? take(chunks, response) : response.end()));
}).listen(Number(process.env['PORT']), '127.0.0.1');
