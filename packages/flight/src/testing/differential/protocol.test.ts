import { isDeepStrictEqual } from 'node:util';

import { describe, expect, it, test } from 'vitest';

import { byHand, byReact, replyExamples } from '../../../../viewer/src/protocol/examples.ts';
import { decodeFlight } from '../../decode-flight.ts';
import { guessReact } from '../../framework.ts';
import { describeFlight } from './describe-flight.ts';
import { clientManifest, replyModels, responseModels } from './protocol-models.ts';
import { lineNames, loadLine, type LineName, type ReactMode } from './react-lines.ts';
import { describeWithReact } from './responses.ts';

/** The page /protocol says what React writes and reads. Here React does. */
const line = loadLine('19.3', 'production');
const digest = 'K7RQ2M4XVD';

async function readAll(stream: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(stream).text();
}

function render(
  model: unknown,
  [name, mode]: readonly [LineName, ReactMode] = ['19.3', 'production'],
): Promise<string> {
  const options = { onError: () => digest };
  return readAll(loadLine(name, mode).server.renderToReadableStream(model, clientManifest, options));
}

describe('the examples that React’s server wrote', () => {
  test.each(Object.entries(responseModels))('%s', async (name, model) => {
    expect(await render(model(line))).toBe(byReact[name]);
  });

  it('are these, and the one below', () => {
    expect([...Object.keys(responseModels), 'form-T'].sort()).toEqual(Object.keys(byReact).sort());
  });

  test('form-T: a value that the browser kept', async () => {
    const kept = line.client.createTemporaryReferenceSet();
    const body = await line.client.encodeReply([{ onClick() {} }], { temporaryReferences: kept });
    const references = line.server.createTemporaryReferenceSet();
    const decoded: unknown = await line.server.decodeReply(body, {}, { temporaryReferences: references });
    const [argument]: { onClick?: unknown }[] = Array.isArray(decoded) ? decoded : [];
    const stream = line.server.renderToReadableStream(
      { same: argument?.onClick },
      {},
      { temporaryReferences: references },
    );
    expect(await readAll(stream)).toBe(byReact['form-T']);
  });

  test('end-aborted: what an abort leaves', async () => {
    const abort = new AbortController();
    const never = () => new Promise(() => {});
    const stream = line.server.renderToReadableStream(
      { price: never(), stock: never() },
      {},
      { onError: () => digest, signal: abort.signal },
    );
    const text = readAll(stream);
    await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    expect(await text).toBe(byHand['end-aborted']);
  });
});

describe('React’s client reads of the examples what this decoder reads', () => {
  const ofProduction = { ...byReact, ...byHand };
  const examples = Object.entries(ofProduction).filter(([name, text]) => {
    const flight = decodeFlight(new TextEncoder().encode(text));
    const isWhole = flight.state.kind === 'complete' || flight.state.kind === 'aborted';
    // Production refuses development’s rows; P and $H are read by no release; F by none since the patches; T needs the request.
    return (
      isWhole &&
      !guessReact(flight).isDevelopment &&
      !['row-P', 'form-H', 'form-F', 'form-T', 'form-never', 'form-P', 'form-E', 'form-Y'].includes(name)
    );
  });

  test.each(examples)('%s', async (_, text) => {
    const bytes = new TextEncoder().encode(text);
    const theirs = await describeWithReact(bytes, line);
    const ours = describeFlight(decodeFlight(bytes));
    expect(isDeepStrictEqual(ours, theirs), JSON.stringify({ ours, theirs })).toBe(true);
  });

  it('are nearly all of them', () => {
    expect(examples.length).toBeGreaterThan(50);
  });
});

describe('the requests that React’s client writes', () => {
  test.each(Object.entries(replyModels))('%s', async (name, build) => {
    const body = await line.client.encodeReply(build());
    const example = replyExamples[name] ?? [];
    if (typeof body === 'string') {
      expect(example).toEqual([{ name: '', value: body }]);
      return;
    }
    const fields: unknown[] = [];
    for (const [field, value] of body) {
      fields.push({ name: field, value: typeof value === 'string' ? value : { bytes: await value.text() } });
    }
    expect(fields).toEqual(example);
  });
});

describe('what the page says of versions', () => {
  async function listLines(mode: ReactMode, build: (name: LineName) => unknown, sign: RegExp): Promise<LineName[]> {
    const found: LineName[] = [];
    for (const name of lineNames) if (sign.test(await render(build(name), [name, mode]))) found.push(name);
    return found;
  }
  const byteStream = () =>
    new ReadableStream({
      type: 'bytes',
      start(controller) {
        controller.enqueue(new TextEncoder().encode('Hi'));
        controller.close();
      },
    });
  const paragraph = (name: LineName) => loadLine(name, 'development').react.createElement('p', null);
  const counter = (name: LineName) => {
    const { server, react } = loadLine(name, 'production');
    return react.createElement(
      server.registerClientReference(() => {}, 'app/long.tsx', 'Long'),
      null,
    );
  };
  const items = Array.from({ length: 300 }, (_, index) => `item ${index}`);
  const list = (name: LineName) => {
    const { react } = loadLine(name, 'production');
    return items.map((text) => react.createElement('li', { title: text }));
  };

  test.each<[string, ReactMode, (name: LineName) => unknown, RegExp, LineName[]]>([
    ['b rows', 'production', byteStream, /1:b2,Hi/, ['19.3']],
    ['o rows in byte streams', 'production', byteStream, /1:o2,Hi/, ['19.0', '19.1', '19.2']],
    ['N rows', 'development', () => 'x', /^:N\d/, ['19.2', '19.3']],
    ['elements with five items', 'development', paragraph, /\["\$","p",null,\{\},null\]/, ['19.0']],
    [
      'elements with seven items',
      'development',
      paragraph,
      /\["\$","p",null,\{\},null,.+,\d\]/,
      ['19.1', '19.2', '19.3'],
    ],
    ['texts of modules in rows of their own', 'production', counter, /^\d+:"a-module-with-a-long-name"/m, ['19.3']],
    ['rows that are split', 'production', list, /"\$L1"/, ['19.2', '19.3']],
    [
      '$h',
      'production',
      (name) => loadLine(name, 'production').server.registerServerReference(() => {}, 'a', 'b'),
      /"\$h/,
      [...lineNames],
    ],
  ])('%s', async (_, mode, build, sign, expected) => {
    expect(await listLines(mode, build, sign)).toEqual(expected);
  });
});
