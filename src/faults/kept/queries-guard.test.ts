import { expect, it } from 'vitest';

import { countVisitors } from '../grouping/count-visitors.ts';
import * as unseen from '../grouping/count-unseen.ts';
import * as feedback from '../feedback/list-feedback.ts';
import * as page from '../grouping/find-fault-page.ts';
import * as errors from '../grouping/kept-errors.ts';
import { readFaultChanges } from '../grouping/read-fault-changes.ts';
import { readFaultChart } from '../grouping/read-fault-chart.ts';
import { readFaultHashes } from '../grouping/read-fault-hashes.ts';
import { readFaultSpread } from '../grouping/read-fault-spread.ts';
import * as kept from '../grouping/read-kept.ts';
import * as digests from '../digests/find-digest.ts';
import { listWithoutDigest } from '../digests/list-without-digest.ts';
import { findPast } from '../digests/find-past.ts';
import * as errorDetails from '../digests/find-error-details.ts';
import * as notKept from '../receive/list-not-kept.ts';
import { findById } from '../grouping/find-by-id.ts';
import { listFacets } from '../grouping/list-facets.ts';
import * as faults from '../grouping/list-faults.ts';
import * as queries from './queries.ts';
import * as deletions from '../source-maps/delete-uploads.ts';
import * as uploads from '../source-maps/read-uploads.ts';

const parts = { readFaultChanges, readFaultChart, readFaultHashes, readFaultSpread };

it.each(
  Object.entries({
    ...queries,
    ...errorDetails,
    ...digests,
    ...kept,
    ...page,
    ...errors,
    ...parts,
    ...notKept,
    ...uploads,
    ...deletions,
    ...faults,
    ...feedback,
    ...unseen,
    countVisitors,
    findById,
    findPast,
    listFacets,
    listWithoutDigest,
  }),
)('%s reads nothing for somebody who is not signed in', async (_name, query) => {
  const ask: unknown = Reflect.apply(query, undefined, []);
  await expect(ask).rejects.toThrow('not signed in');
});
