import { expect, it, vi } from 'vitest';

import { rememberCause } from './dev-causes.ts';
import { holdDigest } from './kept-digests.ts';
import { createPlainFailure } from './plain-failure.ts';

it('names its digest when the record of it is kept, and not before', async () => {
  const kept = Promise.withResolvers<void>();
  holdDigest('3F7K2M9QRT', kept.promise);
  let response: Response | undefined;
  const making = createPlainFailure('3F7K2M9QRT').then((made) => (response = made));
  await new Promise((resolve) => setImmediate(resolve));
  expect(response).toBeUndefined();
  kept.resolve();
  await making;
  expect(response?.headers.get('x-flight-digest')).toBe('3F7K2M9QRT');
});

it('shows the cause and the digest in development', async () => {
  rememberCause('3F7K2M9QRT', new Error('no order'));
  const text = await (await createPlainFailure('3F7K2M9QRT')).text();
  expect(text).toMatch(/^Error: no order\n[^]*\nDigest: 3F7K2-M9QRT\n$/);
});

it('shows its digest to who sees no headers', async () => {
  vi.stubEnv('DEV', false);
  expect(await (await createPlainFailure('3F7K2M9QRT')).text()).toBe(
    'The server failed to answer this request.\nDigest: 3F7K2-M9QRT\n',
  );
  expect(await (await createPlainFailure(undefined)).text()).toBe('The server failed to answer this request.\n');
  vi.unstubAllEnvs();
});
