import { experimentPath } from '#src/http/addresses.ts';
import { LabPage } from '#src/components/lab-page.tsx';
import { describeExperiment } from '#src/lab/experiments.ts';
import { FlakyRecord } from '#src/lab/page-data/flaky-record.tsx';
import { readFailures } from '#src/lab/page-data/flaky-upstream.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

export default function PageDataPage({ query }: { query: string }) {
  const parameters = new URLSearchParams(query);
  return (
    <LabPage {...describeExperiment('page-data')}>
      <p>
        This page fetches its data from an upstream that fails {readFailures(parameters)} times with a 503 before it
        answers. Up to three failures cost a moment;{' '}
        <Link to={`${experimentPath('page-data')}?failures=4`} prefetch="never">
          too many failures
        </Link>{' '}
        are an error page.
      </p>
      <FlakyRecord query={parameters} />
      <form method="get">
        <label>
          Failures <input name="failures" type="number" min={0} max={9} defaultValue={readFailures(parameters)} />
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
        <Link to="/no/such/page" prefetch="never">
          a page
        </Link>
        .
      </p>
    </LabPage>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
