import { expect, it } from 'vitest';

import * as news from './faults/count-news.ts';
import * as feedback from './feedback/list-feedback.ts';
import * as page from './faults/find-fault-page.ts';
import * as occurrences from './faults/kept-occurrences.ts';
import { readFaultChanges } from './faults/read-fault-changes.ts';
import { readFaultChart } from './faults/read-fault-chart.ts';
import { readFaultHashes } from './faults/read-fault-hashes.ts';
import { readFaultSpread } from './faults/read-fault-spread.ts';
import * as kept from './faults/read-kept.ts';
import * as digests from './find-digest.ts';
import * as incidents from './find-incident.ts';
import * as notKept from './list-not-kept.ts';
import { findById } from './faults/find-by-id.ts';
import { listFacets } from './faults/list-facets.ts';
import * as faults from './faults/list-faults.ts';
import * as queries from './queries.ts';
import * as deletions from './source-maps/delete-uploads.ts';
import * as uploads from './source-maps/read-uploads.ts';

const parts = { readFaultChanges, readFaultChart, readFaultHashes, readFaultSpread };

it.each(
  Object.entries({
    ...queries,
    ...incidents,
    ...digests,
    ...kept,
    ...page,
    ...occurrences,
    ...parts,
    ...notKept,
    ...uploads,
    ...deletions,
    ...faults,
    ...feedback,
    ...news,
    findById,
    listFacets,
  }),
)('%s reads nothing for somebody who is not signed in', async (_name, query) => {
  const ask: unknown = Reflect.apply(query, undefined, []);
  await expect(ask).rejects.toThrow('not signed in');
});
