/**
 * Page data
 *
 * A server component fetches from an upstream that fails as often as it is told to, before it answers.
 *
 * Look for: Up to three retries within one render; when they are used up, an error page with a digest.
 */
import { experimentPath, mountPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { FlakyRecord } from './page-data/flaky-record.tsx';
import { readFailures } from './page-data/flaky-upstream.ts';

export const group = 'Data';
export const order = 1;

export default function PageDataLab({ query }: { query: URLSearchParams }) {
  return (
    <>
      <p>
        This page fetches its data from an upstream that fails {readFailures(query)} times with a 503 before it answers.
        Up to three failures cost a moment;{' '}
        <Link to={`${experimentPath('page-data')}?failures=4`} prefetch="never">
          too many failures
        </Link>{' '}
        are an error page.
      </p>
      <FlakyRecord query={query} />
      <form method="get">
        <label>
          Failures <input name="failures" type="number" min={0} max={9} defaultValue={readFailures(query)} />
        </label>{' '}
        <button>Load the page again</button>
      </form>
      <p>
        What is not there:{' '}
        <Link to={`${experimentPath('page-data')}?record=none`} prefetch="never">
          a record
        </Link>
        ,{' '}
        <Link to={experimentPath('missing-data')} prefetch="never">
          a page’s own data
        </Link>
        ,{' '}
        <Link to={`${mountPath}/no/such/page`} prefetch="never">
          a page
        </Link>
        .
      </p>
    </>
  );
}
