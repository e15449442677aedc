import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { DatabaseSync } from 'node:sqlite';

import { tunnelPath } from '../../src/server/http/addresses.ts';

/** How a report ended: the status, or that no answer came. No answer promises nothing. */
export type Posted = {
  readonly id: string;
  readonly status: number | 'no-answer';
  readonly retryAfter: string | undefined;
  /** Of a refusal. */
  readonly code: string | undefined;
};

/**
 * Posts one browser report.
 * @param visitor a number of 0 to 250; each has its own address, since the tunnel counts by address
 */
export function postReport(port: number, visitor: number, message = 'boom'): Promise<Posted> {
  const id = randomBytes(16).toString('hex');
  const event = { event_id: id, level: 'error', exception: { values: [{ type: 'Error', value: message }] } };
  const body = [JSON.stringify({ event_id: id }), '{"type":"event"}', JSON.stringify(event)].join('\n');
  const headers = { host: `127.0.0.1:${port}`, 'content-length': String(Buffer.byteLength(body)) };
  const to = { host: '127.0.0.1', port, localAddress: `127.0.1.${visitor + 1}`, agent: false };
  return new Promise((resolve) => {
    const sent = request({ ...to, method: 'POST', path: tunnelPath, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more: string) => (text += more));
      const retryAfter = response.headers['retry-after'];
      response.on('close', () => {
        const code = /"code":"([\w-]+)"/.exec(text)?.[1];
        resolve({ id, status: response.statusCode ?? 'no-answer', retryAfter, code });
      });
    });
    sent.on('error', () => resolve({ id, status: 'no-answer', retryAfter: undefined, code: undefined }));
    sent.end(body);
  });
}

/** What a database that is not open in any server holds. @throws when its check finds an error */
export function readReportIds(file: string): Set<string> {
  const database = new DatabaseSync(file, { timeout: 10_000 });
  try {
    const found = database.prepare('pragma integrity_check').get()?.['integrity_check'];
    if (found !== 'ok') throw new Error(`${file}: ${String(found)}`);
    return new Set(
      database
        .prepare("select id from event where side = 'browser'")
        .all()
        .map((row) => String(row['id'])),
    );
  } finally {
    database.close();
  }
}
