import { expect, it } from 'vitest';

import * as digests from './find-digest.ts';
import * as incidents from './find-incident.ts';
import * as notKept from './list-not-kept.ts';
import * as queries from './queries.ts';

it.each(Object.entries({ ...queries, ...incidents, ...digests, ...notKept }))(
  '%s reads nothing for somebody who is not signed in',
  async (_name, query) => {
    const ask: unknown = Reflect.apply(query, undefined, []);
    await expect(ask).rejects.toThrow('not signed in');
  },
);
