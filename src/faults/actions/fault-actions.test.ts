import { expect, it, vi } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { runInRequest } from '#src/server/http/request-context.ts';
import { makeRequest } from '#src/server/http/testing/make-request.ts';
import { faultPath, faultsPath } from '#src/server/http/addresses.ts';
import { readFaultRow, storeError, useStore } from '#src/faults/grouping/testing/use-store.ts';

import { mergeFaults } from './merge-faults.ts';
import { splitFault } from './split-fault.ts';
import { triageFaults } from './triage-faults.ts';
import { undoActivities } from './undo-activities.ts';

vi.mock('waku/router/server', () => ({
  unstable_redirect(location: string) {
    throw new Error(`to ${location}`);
  },
}));

useOperator();
useStore();

type Fields = readonly (readonly [string, string | File])[];

/** @returns where the action leads */
async function post(action: (form: FormData) => Promise<void>, fields: Fields): Promise<string> {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  const thrown: unknown = await action(form).catch((error: unknown) => error);
  if (!(thrown instanceof Error)) throw new Error('It led nowhere');
  return thrown.message.replace(/^to /, '');
}

const batch = /^[\da-f]{20}$/;

function doneOf(address: string): string {
  return new URL(address, 'http://localhost').searchParams.get('done') ?? '';
}

it('leads back to the page with what was done, and undoes it from there', async () => {
  const { fault } = await storeError();
  const back = `${faultsPath}?state=open&done=older`;
  const to = await post(triageFaults, [
    ['fault', fault],
    ['to', 'snooze-volume'],
    ['count', '5'],
    ['hours', '24'],
    ['back', back],
  ]);
  expect(to).toMatch(new RegExp(`^${faultsPath}\\?state=open&done=[0-9a-f]{20}$`));
  expect(await readFaultRow(fault)).toMatchObject({ state: 'snoozed' });
  await post(undoActivities, [['batch', doneOf(to)]]);
  expect(await readFaultRow(fault)).toMatchObject({ state: 'open', unseen: 'new' });
});

it('merges, splits and undoes single activities', async () => {
  const [one, other] = [
    await storeError({ message: 'one' }),
    await storeError({ message: 'other', received_at: 2_000 }),
  ];
  const faults = [
    ['fault', one.fault],
    ['fault', other.fault],
  ] as const;
  expect(doneOf(await post(mergeFaults, [...faults, ['into', other.fault]]))).toMatch(batch);
  expect(await readFaultRow(other.fault)).toMatchObject({ count: 2 });
  const split = doneOf(
    await post(splitFault, [
      ['fault', other.fault],
      ['hash', one.hash],
      ['back', faultPath(other.fault)],
    ]),
  );
  expect(await readFaultRow(other.fault)).toMatchObject({ count: 1 });
  expect(doneOf(await post(undoActivities, [['activity', split]]))).toBe(split);
  expect(await readFaultRow(other.fault)).toMatchObject({ count: 2 });
});

it.each([
  [[['to', 'explode']], 'malformed'],
  [
    [
      ['to', 'snooze'],
      ['hours', '0'],
    ],
    'malformed',
  ],
  [
    [
      ['to', 'snooze'],
      ['hours', '1e3'],
    ],
    'malformed',
  ],
  [
    [
      ['to', 'snooze'],
      ['hours', '8785'],
    ],
    'malformed',
  ],
  [
    [
      ['to', 'snooze-volume'],
      ['hours', '1'],
    ],
    'malformed',
  ],
  [
    [
      ['to', 'resolve-in'],
      ['release', ' '],
    ],
    'malformed',
  ],
  [
    [
      ['to', 'resolve-in'],
      ['release', 'x'.repeat(201)],
    ],
    'malformed',
  ],
  [[['to', new File([], 'x')]], 'malformed'],
  [
    [
      ['to', 'mute'],
      ['fault', 'nothere1'],
    ],
    'gone',
  ],
] satisfies readonly (readonly [Fields, string])[])(
  'changes nothing for a form that is not ours: %j',
  async (fields, reason) => {
    const { fault } = await storeError();
    expect(await post(triageFaults, [['fault', fault], ...fields])).toBe(`${faultsPath}?done=${reason}`);
    expect(await readFaultRow(fault)).toMatchObject({ state: 'open', unseen: 'new' });
  },
);

it('takes a file for no text, and nothing for nothing chosen', async () => {
  const file = new File([], 'x');
  expect(
    doneOf(
      await post(triageFaults, [
        ['to', 'mute'],
        ['fault', file],
      ]),
    ),
  ).toBe('nothing-chosen');
  expect(
    doneOf(
      await post(mergeFaults, [
        ['fault', file],
        ['into', file],
      ]),
    ),
  ).toBe('nothing-chosen');
  expect(doneOf(await post(splitFault, [['fault', file]]))).toBe('malformed');
  expect(doneOf(await post(undoActivities, [['activity', file]]))).toBe('nothing-chosen');
});

it.each([
  '//evil.example/x',
  '/\\evil.example',
  'https://evil.example/faults',
  '/.//evil.example',
  'javascript:alert(1)',
  'http://page.invalid//evil.example',
  'http://[',
])('leads to no other host: %s', async (back) => {
  expect(
    await post(triageFaults, [
      ['to', 'mute'],
      ['back', back],
    ]),
  ).toBe(`${faultsPath}?done=nothing-chosen`);
});

it('does nothing for somebody who is not signed in', async () => {
  const { fault } = await storeError();
  const fields: Fields = [
    ['to', 'mute'],
    ['fault', fault],
  ];
  for (const action of [triageFaults, mergeFaults, splitFault, undoActivities]) {
    expect(await runInRequest(makeRequest(), () => post(action, fields))).toContain('not signed in');
  }
  expect(await readFaultRow(fault)).toMatchObject({ state: 'open' });
});
