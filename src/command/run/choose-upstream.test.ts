import { expect, it } from 'vitest';

import { chooseUpstream, explainAbsence } from './choose-upstream.ts';

it('is a free port of this machine', async () => {
  const { port, to, awaited } = await chooseUpstream(undefined);
  expect([to, awaited]).toEqual([`http://localhost:${port}`, port]);
  expect((await chooseUpstream(undefined)).port).not.toBe(port);
});

it.each(['http://localhost:5173', 'http://127.0.0.1:5173', 'http://[::1]:5173', 'https://localhost:5173'])(
  'is at %s where that is named, and the app is told its port',
  async (to) => {
    expect(await chooseUpstream(to)).toEqual({ port: 5173, to, awaited: 5173 });
  },
);

it.each(['unix:/run/app.sock', 'https://app.example', 'http://app.example:8080', 'http://localhost'])(
  'is not waited for at %s',
  async (to) => {
    expect(await chooseUpstream(to)).toEqual({ port: expect.any(Number), to, awaited: undefined });
  },
);

const upstream = { port: 4321, to: 'http://localhost:4321', awaited: 4321 };
const call = { program: 'npx flight-recorder', command: ['npm', 'run', 'dev'] };

it.each([
  [undefined, 'http://localhost:5173', 'npx flight-recorder run --to http://localhost:5173 -- npm run dev'],
  [undefined, undefined, 'npx flight-recorder run --to http://localhost:<port> -- npm run dev'],
])('says how to name the address of an app that was told %s and says %s', (given, found, typed) => {
  expect(explainAbsence(upstream, given, found, call)).toBe(
    `nothing listens at port 4321, which the app was given as PORT. If it chooses its port itself: ${typed}`,
  );
});

it('says what is known where the address was named', () => {
  expect(explainAbsence(upstream, upstream.to, undefined, call)).toBe('nothing listens at http://localhost:4321 yet');
  expect(explainAbsence(upstream, upstream.to, 'http://localhost:5173', call)).toBe(
    'nothing listens at http://localhost:4321 yet; the app names http://localhost:5173',
  );
});
