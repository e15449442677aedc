import { execFile } from 'node:child_process';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

import { addApp } from '../e2e/testing/add-app.ts';
import { type RunningServer, startServer } from './testing/start-server.ts';

/** Sentry's own SDK, as an app of somebody else has it: it is given a DSN of this server, and nothing else. */
const run = promisify(execFile);

type Row = Readonly<Record<string, unknown>>;

function query({ dataFolder }: RunningServer, text: string): Row[] {
  const database = new DatabaseSync(path.join(dataFolder, 'flight.db'), { readOnly: true });
  const rows = database.prepare(text).all();
  database.close();
  return rows.map((row) => ({ ...row }));
}

async function readDsn(server: RunningServer, id: string): Promise<string> {
  const key = await addApp(id, server.dataFolder);
  const [app] = query(server, `select number from app where id = '${id}'`);
  return `http://${key}@${server.host}/${String(app?.['number'])}`;
}

function readJson(row: Row | undefined, column: string): unknown {
  return JSON.parse(String(row?.[column]));
}

test('@sentry/node with a DSN and nothing else: what it captures arrives, whole and grouped', async () => {
  await using server = await startServer();
  const dsn = await readDsn(server, 'shop');
  const child = path.join(import.meta.dirname, 'testing/sdk-child.ts');
  for (let round = 0; round < 2; round += 1) {
    await run(process.execPath, [child], { env: { ...process.env, NODE_OPTIONS: '', SENTRY_DSN: dsn } });
  }
  const rows = query(server, `select * from event where side = 'server' order by received_at, id`);
  const byMessage = Map.groupBy(rows, (row) => row['message']);
  expect(Array.from(byMessage, ([message, same]) => [message, same.length]).toSorted()).toEqual([
    ['a large one', 2],
    ['a message alone', 2],
    ['the basket is empty', 2],
    ['the digest is in a console line', 2],
  ]);
  // Each is one fault, with both of its errors.
  const faults = query(server, 'select name, message, count, users, level from fault order by message');
  expect(faults).toEqual([
    { name: 'Error', message: 'a large one', count: 2, users: 1, level: 'error' },
    { name: 'Message', message: 'a message alone', count: 2, users: 1, level: 'warning' },
    { name: 'TypeError', message: 'the basket is empty', count: 2, users: 1, level: 'error' },
    { name: 'Error', message: 'the digest is in a console line', count: 2, users: 1, level: 'error' },
  ]);
  const [paid] = byMessage.get('the basket is empty') ?? [];
  expect(paid).toMatchObject({
    app: 'shop',
    release: 'shop@1.2.3',
    environment: 'staging',
    framework: 'node',
    sdk: expect.stringMatching(/^sentry\.javascript\.node\/11\./),
    runtime: expect.stringMatching(/^node v?24\./),
    trace_id: expect.stringMatching(/^[\da-f]{32}$/),
  });
  expect(readJson(paid, 'causes_json')).toMatchObject([{ name: 'RangeError', message: 'no such item' }]);
  expect(readJson(paid, 'tags_json')).toMatchObject({ color: 'red' });
  expect(readJson(paid, 'extra_json')).toMatchObject({ 'basket.size': '3', 'basket.token': '[Filtered]' });
  expect(readJson(paid, 'breadcrumbs_json')).toEqual([expect.objectContaining({ message: 'added an item' })]);
  expect(readJson(paid, 'frames_json')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ fn: 'pay', inApp: true, file: expect.stringContaining('sdk-child.ts') }),
    ]),
  );
  // The frames have the lines of the child's own source, in which both stand.
  const isFrames = (key: string, value: unknown) => (key === 'frames' ? undefined : value);
  const withoutFrames = rows.map((row) => ({
    ...row,
    frames_json: '',
    causes_json: JSON.stringify(readJson(row, 'causes_json'), isFrames),
  }));
  expect(JSON.stringify(withoutFrames)).not.toMatch(/jane@example|203\.0\.113/);
});

test('the digest is found where @sentry/node puts it, and leads to the error; what is not kept is said', async () => {
  await using server = await startServer();
  const dsn = await readDsn(server, 'shop');
  const child = path.join(import.meta.dirname, 'testing/sdk-child.ts');
  await run(process.execPath, [child], { env: { ...process.env, NODE_OPTIONS: '', SENTRY_DSN: dsn } });
  const digests = query(
    server,
    `select digest, message from event where side = 'server' and digest is not null order by digest`,
  );
  expect(digests).toEqual([
    { digest: '2338734591@E394', message: 'the digest is in a console line' },
    { digest: 'OWN1234567', message: 'a large one' },
  ]);
  for (const code of ['2338734591', 'OWN1234567']) {
    const answer = await fetch(`${server.origin}/digest?code=${code}`);
    expect(answer.status).toBe(200);
    expect(answer.url).toContain(`/digest/${code}`);
  }
  const feedback = query(server, 'select message, name, event_id from feedback');
  const [paid] = query(server, "select id from event where side = 'server' and name = 'TypeError'");
  expect(feedback).toEqual([{ message: 'it broke when I paid', name: 'Jane', event_id: paid?.['id'] }]);
  const page = await (await fetch(`${server.origin}/not-kept`)).text();
  expect(page).toMatch(/transaction|span/);
  const outcomes = query(server, 'select distinct app, source from outcome');
  expect(outcomes).toContainEqual({ app: 'shop', source: 'receiver' });
});
