import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * The load generator. It is a separate process, so that its work is not the server's. It uses raw sockets with one
 * request at a time on each: Node's HTTP client would need as much time per request as the servers that it measures.
 *
 * `node load.ts <json>`: `LoadOptions`; prints `LoadResult` as JSON.
 */
export type LoadOptions = {
  readonly port: number;
  /** The whole request as it is sent over the wire. Each request replaces `00000000` by its own number. */
  readonly request: string;
  readonly connections: number;
  readonly seconds: number;
  /** Between one connection and the next, as visitors come. 0: all at once. */
  readonly apartMs?: number;
};

export type LoadResult = {
  readonly requests: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  /** How many answers were not 2xx. */
  readonly failures: number;
  /** How many answers had each status. */
  readonly statuses: Readonly<Record<string, number>>;
};

const headEnd = Buffer.from('\r\n\r\n');
const lastChunk = Buffer.from('\r\n0\r\n\r\n');

type Progress = { readonly status: number; readonly length: number | 'chunked'; received: number; tail: Buffer };

function readHead(head: string): Omit<Progress, 'received' | 'tail'> {
  const status = Number(head.slice(9, 12));
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return { status, length: Number(length) };
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return { status, length: 'chunked' };
  throw new Error(`An answer without a length:\n${head}`);
}

function isDone(progress: Progress): boolean {
  return progress.length === 'chunked' ? progress.tail.equals(lastChunk) : progress.received >= progress.length;
}

const numberMark = '00000000';
let sentSoFar = 0;

/** Writes the next number over the mark. The request's length does not change. */
function numberRequest(request: Buffer, at: number): Buffer {
  sentSoFar += 1;
  request.write(String(sentSoFar).padStart(numberMark.length, '0'), at, 'latin1');
  return request;
}

/** Calls `onAnswer` with the status of each answer. The next request is sent when it returns true. */
function keepAsking(socket: Socket, request: Buffer, onAnswer: (status: number) => boolean): void {
  let waiting = Buffer.alloc(0);
  let progress: Progress | undefined;
  const markAt = request.indexOf(numberMark);
  // A copy for each: the socket may not have sent the previous one when the next one is numbered.
  const nextRequest = () => (markAt === -1 ? request : numberRequest(Buffer.from(request), markAt));
  socket.on('data', (chunk) => {
    let body = chunk;
    if (!progress) {
      waiting = waiting.length > 0 ? Buffer.concat([waiting, chunk]) : chunk;
      const end = waiting.indexOf(headEnd);
      if (end === -1) return;
      // The body's first bytes follow the blank line. The blank line also precedes an empty chunked body.
      body = waiting.subarray(end + headEnd.length);
      progress = { ...readHead(waiting.toString('latin1', 0, end)), received: 0, tail: Buffer.from('\r\n') };
      waiting = Buffer.alloc(0);
    }
    progress.received += body.length;
    if (progress.length === 'chunked') progress.tail = Buffer.concat([progress.tail, body.subarray(-7)]).subarray(-7);
    if (!isDone(progress)) return;
    const { status } = progress;
    progress = undefined;
    if (onAnswer(status)) socket.write(nextRequest());
    else socket.destroy();
  });
  socket.write(nextRequest());
}

function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

async function load(options: LoadOptions): Promise<LoadResult> {
  const request = Buffer.from(options.request);
  const latencies: number[] = [];
  let failures = 0;
  const statuses: Record<string, number> = {};
  const begin = performance.now();
  const end = begin + options.seconds * 1000;
  async function ask(number: number): Promise<void> {
    await wait(number * (options.apartMs ?? 0));
    await new Promise<void>((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port: options.port, noDelay: true }, () => {
        let sent = performance.now();
        keepAsking(socket, request, (status) => {
          const now = performance.now();
          latencies.push(now - sent);
          if (status < 200 || status > 299) failures += 1;
          statuses[status] = (statuses[status] ?? 0) + 1;
          sent = now;
          return now < end;
        });
      });
      socket.on('error', reject).on('close', () => resolve());
    });
  }
  await Promise.all(Array.from({ length: options.connections }, (_, number) => ask(number)));
  const sorted = Float64Array.from(latencies).sort();
  return {
    requests: latencies.length,
    seconds: (performance.now() - begin) / 1000,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    failures,
    statuses,
  };
}

const [, , json] = process.argv;
if (json) process.stdout.write(JSON.stringify(await load(JSON.parse(json))));
