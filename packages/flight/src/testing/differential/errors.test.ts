import { describe, expect, test } from 'vitest';

import { decodeFlight } from '../../decode-flight.ts';
import { readErrors } from '../../errors.ts';
import { readMembers } from '../../members.ts';
import { openPart, partOfRow, printPart, type Part } from '../../part.ts';
import { findRow } from '../../row-index.ts';
import { readRowAsJson } from '../../value-to-json.ts';
import { lineNames, loadLine, type LineName, type ReactLine, type ReactMode } from './react-lines.ts';

const digest = '$digest';

/** What React's server of `line` writes for a component that throws, and what React's client rejects with. */
async function throwThrough(line: ReactLine, error: Error) {
  function Failing() {
    throw error;
  }
  const stream = line.server.renderToReadableStream(
    line.react.createElement(Failing, null),
    {},
    { onError: () => digest, environmentName: '$Server' },
  );
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  const bytes = new Uint8Array(Buffer.concat(chunks));
  const again = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.slice());
      controller.close();
    },
  });
  const serverConsumerManifest = { moduleMap: null, serverModuleMap: null, moduleLoading: null };
  const root = line.client.createFromReadableStream(again, { serverConsumerManifest });
  return { flight: decodeFlight(bytes), theirs: await readFailure(root) };
}

/** The root itself fails, or the lazy value that it is. */
async function readFailure(root: PromiseLike<unknown>): Promise<object> {
  try {
    const value = await root;
    if (typeof value !== 'object' || value === null || !('_init' in value) || !('_payload' in value)) {
      throw new Error('the root neither failed nor is lazy');
    }
    const { _init: init, _payload: payload } = value;
    if (typeof init !== 'function') throw new Error('a lazy value without _init');
    init(payload);
  } catch (error) {
    if (typeof error === 'object' && error !== null) return error;
  }
  throw new Error('the root did not fail');
}

/** The member of a part with this name, and what it stands for. */
function memberOf(part: Part, name: string): Part {
  const member = readMembers(part).find((candidate) => candidate.name === name);
  if (!member) throw new Error(`there is no ${name}`);
  return openPart(member.part);
}

describe.each(lineNames)('React %s', (name) => {
  test('a digest that begins with $ is text', async () => {
    const { flight, theirs } = await throwThrough(loadLine(name, 'production'), new Error('x'));
    expect(theirs).toMatchObject({ digest });
    expect(readErrors(flight)).toMatchObject([{ digest }]);
  });

  test.each(['$ is not defined', '$$ is not defined', '$1', '$undefined', '["$","div"]'])(
    'in development the message %s is text',
    async (message) => {
      const line = loadLine(name, 'development');
      const { flight, theirs } = await throwThrough(line, new Error(message));
      expect(theirs).toMatchObject({ message, digest, environmentName: '$Server' });
      expect(readErrors(flight)).toMatchObject([{ message, digest, environment: '$Server' }]);
    },
  );
});

test('causes and the errors of an AggregateError are followed', async () => {
  const line = loadLine('19.3', 'development');
  const error = new AggregateError([new Error('$one'), new Error('two')], '$all', { cause: new Error('$cause') });
  const { flight, theirs } = await throwThrough(line, error);
  expect(theirs).toMatchObject({
    message: '$all',
    cause: { message: '$cause' },
    errors: [{ message: '$one' }, { message: 'two' }],
  });
  const [found] = readErrors(flight);
  const part = partOfRow(flight, found?.row ?? 0);
  expect(printPart(memberOf(part, 'message'))).toBe('"$all"');
  expect(printPart(memberOf(memberOf(part, 'cause'), 'message'))).toBe('"$cause"');
  const errors = memberOf(part, 'errors');
  expect(printPart(memberOf(memberOf(errors, '0'), 'message'))).toBe('"$one"');
  expect(printPart(memberOf(memberOf(errors, '1'), 'message'))).toBe('"two"');
});

describe('an Error that is sent as a value', () => {
  async function sendError(name: LineName, mode: ReactMode, error: Error) {
    const { server } = loadLine(name, mode);
    const chunks: Uint8Array[] = [];
    for await (const chunk of server.renderToReadableStream([error], {})) chunks.push(chunk);
    const flight = decodeFlight(new Uint8Array(Buffer.concat(chunks)));
    const [sent] = readMembers(partOfRow(flight, flight.root ?? 0));
    if (sent?.part.kind !== 'value' || sent.part.value.kind !== 'error') throw new Error('no Error was sent');
    const { target } = sent.part.value;
    return { flight, row: target && findRow(flight.rows, target.id) };
  }

  test.each(lineNames)('React %s, production: nothing of it', async (name) => {
    const { row } = await sendError(name, 'production', new Error('$1'));
    expect(row).toBeUndefined();
  });

  test.each(lineNames)('React %s, development: its row as JSON has its texts', async (name) => {
    const { flight, row } = await sendError(name, 'development', new Error('$1'));
    expect(readRowAsJson(flight, row ?? -1)).toMatchObject({ message: '$1' });
  });

  test('its row as JSON refers to its cause and its errors, and so do the members of that row', async () => {
    const sent = new AggregateError([new Error('$one')], '$all', { cause: new Error('$cause') });
    const { flight, row = -1 } = await sendError('19.3', 'development', sent);
    const json = readRowAsJson(flight, row);
    const reference = { $: 'reference', id: expect.stringMatching(/^[0-9a-f]+$/) };
    expect(json).toMatchObject({ message: '$all', cause: reference, errors: reference });
    const whole = partOfRow(flight, row);
    expect(printPart(memberOf(memberOf(whole, 'cause'), 'message'))).toBe('"$cause"');
    expect(printPart(memberOf(memberOf(memberOf(whole, 'errors'), '0'), 'message'))).toBe('"$one"');
  });

  test('an object with the same members, to which no Error refers, keeps its text', () => {
    const flight = decodeFlight(new TextEncoder().encode('1:{"message":"m","cause":"$$2"}\n0:["$1","$Z"]\n'));
    expect(readRowAsJson(flight, 0)).toEqual({ message: 'm', cause: '$2' });
  });
});

test('an error row as JSON is what JSON.parse makes of it', () => {
  const json = { digest: '$1', message: '$undefined', stack: [['$', '$$x', 1, 2]], name: '$$' };
  const flight = decodeFlight(new TextEncoder().encode(`0:"$L2"\n1:"one"\n2:E${JSON.stringify(json)}\n`));
  expect(readRowAsJson(flight, 2)).toEqual(json);
});

test('the function $ of a stack is a name, and no element', () => {
  const json = '{"digest":"","message":"m","stack":[["$","/app/a.js",1,2,0,0,false]],"cause":{"at":"$1"}}';
  const flight = decodeFlight(new TextEncoder().encode(`0:"$L2"\n1:"one"\n2:E${json}\n`));
  const stack = memberOf(partOfRow(flight, 2), 'stack');
  expect(printPart(stack)).toBe('Array(1)');
  expect(printPart(memberOf(stack, '0'))).toBe('Array(7)');
  expect(printPart(memberOf(memberOf(stack, '0'), '0'))).toBe('"$"');
  expect(printPart(memberOf(memberOf(partOfRow(flight, 2), 'cause'), 'at'))).toBe('"one"');
});
