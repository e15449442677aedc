import { expect, it } from 'vitest';

import * as news from './faults/count-news.ts';
import * as feedback from './feedback/list-feedback.ts';
import * as digests from './find-digest.ts';
import * as incidents from './find-incident.ts';
import * as queries from './queries.ts';

it.each(Object.entries({ ...queries, ...incidents, ...digests, ...feedback, ...news }))(
  '%s reads nothing for somebody who is not signed in',
  async (_name, query) => {
    const ask: unknown = Reflect.apply(query, undefined, []);
    await expect(ask).rejects.toThrow('not signed in');
  },
);
