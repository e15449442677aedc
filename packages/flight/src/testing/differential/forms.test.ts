import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { decodeReply } from '../../decode-reply.ts';
import type { ReplyPart } from '../../multipart.ts';
import { buildValue } from './build-value.ts';
import { describeBoundAction } from './describe-flight.ts';
import { type Description, describeReactValue } from './describe-react.ts';
import { expectSame } from './expect-same.ts';
import { replyPlans } from './plans.ts';
import { isModuleExport, comparedLines, loadLine, type ReactLine } from './react-lines.ts';
import { type Body, describeActionOf, excuseForms, readForm, readParts, serverManifest, writeForm } from './replies.ts';
import { listRuns, runTimeout } from './runs.ts';

type Field = [name: string, value: string];
const someFields = fc.array(
  fc.tuple(fc.constantFrom('title', 'title', 'é', '0', '_1_a', 'S2', 'a"b'), fc.string({ maxLength: 8 })),
  { maxLength: 3 },
);

/** What React puts into the form's HTML for the action `reference`, with what the visitor typed. */
async function fillForm(reference: unknown, fields: readonly Field[]): Promise<FormData> {
  if (typeof reference !== 'function' || !('$$FORM_ACTION' in reference)) throw new Error('no server reference');
  const { name, data } = await encodeAction(reference, reference.$$FORM_ACTION);
  const form = new FormData();
  form.append(name, '');
  for (const [field, value] of data?.entries() ?? []) form.append(field, value);
  for (const [field, value] of fields) form.append(field, value);
  return form;
}

/** While the arguments are being encoded React throws their promise, as for a suspended component. */
async function encodeAction(reference: unknown, encode: unknown): Promise<{ name: string; data: FormData | null }> {
  if (typeof encode !== 'function') throw new Error('no encoder of a form');
  for (;;) {
    try {
      return encode.call(reference, 'P1');
    } catch (thrown) {
      if (!(typeof thrown === 'object' && thrown !== null && 'then' in thrown)) throw thrown;
      await thrown;
    }
  }
}

/** React's server binds the form's fields as the last argument. */
async function describeWithReact(body: Body, line: ReactLine) {
  const form = await readForm(body);
  if (typeof form === 'string') throw new Error('a form is no text');
  const action: unknown = await line.server.decodeAction(form, serverManifest);
  if (!isModuleExport(action)) throw new Error('React’s server finds no action');
  const fields: unknown = action.bound.at(-1);
  if (!(fields instanceof FormData)) throw new Error('React’s server binds no fields');
  const bound = action.bound.slice(0, -1);
  const options = { withFileNames: true, describeError: () => 'failed', describeKnown: describeActionOf };
  const described = await describeReactValue(bound, options);
  return { action: action.module, bound: described, fields: [...fields.entries()] };
}

/** As the array that React's server binds, which is the first thing it describes. */
function toArray(action: Description): Description {
  const bound = typeof action === 'object' && action !== null && 'bound' in action ? action['bound'] : undefined;
  return { array: bound ?? [] };
}

function toFields(parts: readonly ReplyPart[]) {
  return parts.map(({ name, value }) => [name, value]);
}

describe.each(comparedLines)('forms sent without JavaScript, React %s', (name) => {
  const line = loadLine(name, 'production');

  test.each(listRuns(40))(
    'with bound arguments are read as its server reads them, $title',
    async ({ seed, numRuns }) => {
      await fc.assert(
        fc.asyncProperty(fc.array(replyPlans, { maxLength: 2 }), someFields, async (bound, fields) => {
          const plan = { kind: 'server-reference', id: 'actions.js#save', bound } as const;
          const form = await fillForm(buildValue(plan, line, 'client'), fields);
          const body = await writeForm(form);
          const parts = readParts(body);
          const reply = decodeReply(parts);
          const theirs = await describeWithReact(body, line);
          expect(reply.action).toEqual({ kind: 'form', id: theirs.action, key: undefined });
          expect(toFields(reply.fields)).toEqual(theirs.fields);
          const ours = toArray(describeBoundAction(reply.flight, reply.files));
          expectSame(ours, theirs.bound, { isExcused: excuseForms(parts), sent: parts });
        }),
        { seed, numRuns },
      );
    },
    runTimeout,
  );

  test('with no bound arguments name their action alone', async () => {
    const plan = { kind: 'server-reference', id: 'actions.js#save', bound: null } as const;
    const form = await fillForm(buildValue(plan, line, 'client'), [['title', 'a']]);
    const body = await writeForm(form);
    const reply = decodeReply(readParts(body));
    const theirs = await describeWithReact(body, line);
    expect(reply.action).toEqual({ kind: 'form', id: theirs.action, key: undefined });
    expect(toFields(reply.fields)).toEqual(theirs.fields);
  });
});
