import { expect, it } from 'vitest';

import { readPayloadFacts } from './payload-facts.ts';

const facts = {
  address: '/flights/1/payload',
  title: 'GET / (document)',
  chunks: [{ ms: 1, bytes: 2 }],
  response: { isPrefetch: false, isPrerender: false },
  sources: [['a1', 'src/a.tsx']],
};

it('reads where sources open, and nothing that has another form', () => {
  const editor = { template: 'vscode://file/{path}:{line}:{column}', folders: ['/home/ada/app'] };
  expect(readPayloadFacts(JSON.parse(JSON.stringify({ ...facts, editor })))).toMatchObject({ ...facts, editor });
  expect(readPayloadFacts(facts)?.editor).toBeUndefined();
  for (const wrong of [{ template: 1, folders: [] }, { template: 'a' }, 'a', null]) {
    expect(readPayloadFacts({ ...facts, editor: wrong })).toMatchObject({ editor: undefined });
  }
  expect(readPayloadFacts({ ...facts, editor: { template: 'a', folders: ['/b', 1] } })?.editor?.folders).toEqual([
    '/b',
  ]);
});
