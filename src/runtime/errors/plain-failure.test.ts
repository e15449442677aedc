import { expect, it } from 'vitest';

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
