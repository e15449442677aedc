import { setImmediate as nextTurn } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import { decodeFlight } from '../../decode-flight.ts';
import { readErrors } from '../../errors.ts';
import { readRow } from '../../row.ts';
import { readEntries } from '../../value.ts';
import { rowToJson } from '../../value-to-json.ts';
import { describeFlight } from './describe-flight.ts';
import { lineNames, loadLine, type ReactLine } from './react-lines.ts';
import { describeWithReact } from './responses.ts';

const never = new Promise<never>(() => {});

/** Something that is there, something that waits for ever, and a stream that goes on. */
function createUnfinished({ react }: ReactLine) {
  async function Waiting() {
    return never;
  }
  const open = new ReadableStream({ start: (controller) => controller.enqueue('first') });
  return {
    ready: 'here',
    promise: never,
    stream: open,
    element: react.createElement('div', { title: react.createElement(Waiting, null) }),
  };
}

async function readAll(stream: ReadableStream<Uint8Array>) {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}

describe.each(lineNames)('React %s', (name) => {
  const line = loadLine(name, 'production');

  test('aborted: every row that waits is given up for one error', async () => {
    const controller = new AbortController();
    const stream = line.server.renderToReadableStream(
      createUnfinished(line),
      {},
      { signal: controller.signal, onError: () => 'stopped' },
    );
    const reading = readAll(stream);
    await nextTurn();
    await nextTurn();
    controller.abort();
    const bytes = await reading;
    const flight = decodeFlight(bytes);
    // A stream fails with an error of its own.
    const errors = readErrors(flight);
    expect(errors.map(({ digest }) => digest)).toEqual(errors.map(() => 'stopped'));
    const error = name === '19.0' || name === '19.1' ? errors[0] : errors.at(-1);
    expect(flight.state).toEqual({ kind: 'aborted', error: error?.id, pending: [] });
    expect(describeFlight(flight)).toEqual(await describeWithReact(bytes, line));
  });

  test('cut off between rows: what waits never comes', async () => {
    const stream = line.server.renderToReadableStream(createUnfinished(line), {});
    const reader = stream.getReader();
    const first = await reader.read();
    void reader.cancel().catch(() => {});
    const bytes = first.value ?? new Uint8Array();
    const flight = decodeFlight(bytes);
    expect(flight.state.kind).toBe('halted');
    // The client of 19.0 leaves the stream open for ever.
    if (name !== '19.0') expect(describeFlight(flight)).toEqual(await describeWithReact(bytes, line));
  });

  const prerender = line.server.prerender ?? line.server.unstable_prerender;
  test.skipIf(!prerender)('a prerender stopped by design is halted', async () => {
    const controller = new AbortController();
    const prerendering = prerender?.(createUnfinished(line), {}, { signal: controller.signal, onError: () => 'x' });
    await nextTurn();
    await nextTurn();
    controller.abort();
    const prelude = (await prerendering)?.prelude;
    const bytes = await readAll(prelude ?? new ReadableStream());
    const flight = decodeFlight(bytes);
    // 19.1 still writes an error for what it stops.
    expect(flight.state.kind).toBe(name === '19.1' ? 'aborted' : 'halted');
    expect(describeFlight(flight)).toEqual(await describeWithReact(bytes, line));
  });

  test('a failed root is its error', async () => {
    const stream = line.server.renderToReadableStream(Promise.reject(new Error('no')), {}, { onError: () => 'root' });
    const bytes = await readAll(stream);
    const flight = decodeFlight(bytes);
    expect(readErrors(flight).map(({ digest }) => digest)).toEqual(['root']);
    expect(describeFlight(flight)).toEqual(await describeWithReact(bytes, line));
  });

  test('hints are what its client does', async () => {
    const { hints, react } = line;
    function Page() {
      hints.prefetchDNS('https://a.example');
      hints.preconnect('https://b.example');
      hints.preconnect('https://c.example', { crossOrigin: 'anonymous' });
      hints.preload('/a.woff2', { as: 'font', type: 'font/woff2', crossOrigin: '' });
      hints.preload('/a.js', { as: 'script' });
      hints.preloadModule('/m.js');
      hints.preloadModule('/n.js', { integrity: 'sha384-x' });
      hints.preinit('/b.js', { as: 'script' });
      hints.preinit('/c.js', { as: 'script', nonce: 'n' });
      hints.preinit('/a.css', { as: 'style' });
      hints.preinit('/b.css', { as: 'style', precedence: 'high', integrity: 'sha384-y' });
      hints.preinitModule('/o.js');
      return 'page';
    }
    const bytes = await readAll(line.server.renderToReadableStream(react.createElement(Page, null), {}));
    line.hintCalls.length = 0;
    await describeWithReact(bytes, line);
    const flight = decodeFlight(bytes);
    const rows = Array.from({ length: flight.rows.count }, (_, row) => readRow(flight, row));
    const ours = rows.filter((row) => row.kind === 'hint').map((row) => rowToJson(flight, row));
    expect(line.hintCalls).toHaveLength(12);
    expect(ours).toEqual(line.hintCalls.map(([code, ...args]) => ({ $: 'hint', code, value: toSent(args) })));
  });

  test('a temporary reference is the path to what stayed in the browser', async () => {
    const stays = { a: () => 1, list: [() => 2, 'text'] };
    const clientReferences = line.client.createTemporaryReferenceSet();
    const body = await line.client.encodeReply([stays], { temporaryReferences: clientReferences });
    const serverReferences = line.server.createTemporaryReferenceSet();
    const args = await line.server.decodeReply(body, {}, { temporaryReferences: serverReferences });
    const [argument] = Array.isArray(args) ? args : [];
    const answer = { list: argument.list, function: argument.a };
    const stream = line.server.renderToReadableStream(answer, {}, { temporaryReferences: serverReferences });
    const flight = decodeFlight(await readAll(stream));
    const root = flight.root === undefined ? undefined : readRow(flight, flight.root);
    const entries = root?.kind === 'model' ? readEntries(flight, root.value) : [];
    const paths = entries.map(({ value }) => (value.kind === 'temporary' ? value.path : value.kind));
    const [list, first] = paths.map((path) => clientReferences.get(`$${path}`));
    expect(list).toBe(stays.list);
    expect(first).toBe(stays.a);
  });
});

/** A hint with one argument is sent without a list; a style without precedence has a 0 in its place. */
function toSent(args: readonly unknown[]) {
  const given = args.map((argument) => (argument === undefined ? 0 : argument));
  while (given.at(-1) === 0) given.pop();
  return given.length === 1 ? given[0] : given;
}
