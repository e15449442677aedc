import { expect, it } from 'vitest';

import type { FlightHead } from '../flight/flight-head.ts';
import { noteModules } from '../recorder/note-modules.ts';
import { currentWriter } from '../recorder/recorder.ts';
import { askAsOperator } from '../recorder/testing/ask-as-operator.ts';
import { createSampleHead } from '../recorder/testing/sample-head.ts';
import { useRecorder } from '../recorder/testing/use-recorder.ts';
import { findFlightOfRequest, readFlight } from './queries.ts';
import { readSourcesOf } from './sources-of-flight.ts';

useRecorder();

const requestId = 'a'.repeat(32);

async function read(text: string, head: Partial<FlightHead> = {}): Promise<unknown> {
  const ids = { requestId, traceId: 'b'.repeat(32) };
  currentWriter().add(createSampleHead({ ...ids, app: 'shop', build: 'b1', content: 'flight', ...head }), {
    payload: [new TextEncoder().encode(text)],
    debug: [],
    args: new Uint8Array(),
  });
  await currentWriter().flush();
  return askAsOperator(async () => {
    const found = await findFlightOfRequest(requestId);
    const flight = found && (await readFlight(found.id));
    return flight && [...(await readSourcesOf(flight))];
  });
}

const files = [
  ['66928', 'app/cart.tsx'],
  ['1', 'app/other.tsx'],
  ['(app)/src/a-long-name.tsx', 'src/a-long-name.tsx'],
  ['f00d', 'src/hashed.tsx'],
] as const;

function note(): void {
  noteModules(currentWriter(), 'shop', 'b0', [['66928', 'app/older.tsx']]);
  noteModules(currentWriter(), 'shop', 'b1', files);
  noteModules(currentWriter(), 'blog', 'b1', [['66928', 'app/another-apps.tsx']]);
}

it('are those that the payload names, by the modules of its own build', async () => {
  note();
  expect(await read('2:I[66928,["a.js"],"default"]\n0:["$","$L2",null,{"n":1}]\n')).toEqual([
    ['66928', 'app/cart.tsx'],
  ]);
});

it('are found where an id is a text, and where React has sent a long one as a row of its own', async () => {
  note();
  const rows = '3:T19,(app)/src/a-long-name.tsx2:I["$3",["a.js"],""]\n4:I["f00d",[],""]\n0:"$L2"\n';
  expect(await read(rows)).toEqual([files[2], files[3]]);
});

it('are found in the scripts of a document', async () => {
  note();
  const html =
    '<script>self.__next_f.push([1,"2:I[66928,[\\"a.js\\"],\\"default\\"]\\n4:I[\\"f00d\\",[],\\"\\"]\\n"])</script>';
  expect(await read(html, { content: 'html' })).toEqual([files[0], files[3]]);
});

it('are none where the build is another one, or not known', async () => {
  note();
  expect(await read('2:I[66928,["a.js"],"default"]\n', { build: 'b2' })).toEqual([]);
});
