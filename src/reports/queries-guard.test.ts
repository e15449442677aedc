import { expect, it } from 'vitest';

import * as queries from './queries.ts';

it.each(Object.entries(queries))('%s reads nothing for somebody who is not signed in', async (_name, query) => {
  const ask: unknown = Reflect.apply(query, undefined, []);
  await expect(ask).rejects.toThrow('not signed in');
});
