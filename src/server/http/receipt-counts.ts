import { createTally } from './tally.ts';

/** Where something is received: the endpoints of apps, and those of this server's own pages. */
export type Endpoint =
  | 'errors'
  | 'flights'
  | 'traces'
  | 'envelope'
  | 'source-maps'
  | 'tunnel'
  | 'feedback'
  | 'csp-report';

/**
 * Requests that brought something: by where they came in, and `kept`, or the code with which they were refused. Counted since
 * this process started; the table `refusal` counts for the operator's pages, and only for apps that exist.
 */
const counts = createTally();

export const receiptCounts = {
  add: (endpoint: Endpoint, outcome: string) => counts.add(endpoint, outcome),
  read: counts.read,
};
