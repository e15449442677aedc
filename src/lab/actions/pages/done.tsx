import { experimentPath } from '#src/server/http/addresses.ts';
import { readCounter } from '../counter.ts';
import { readVisitorKey } from '../visitor-key.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

export default function ActionsDonePage({ query }: { query: string }) {
  const key = readVisitorKey(new URLSearchParams(query));
  return (
    <div className="stack-3">
      <title>The other page</title>
      <h1>The other page</h1>
      <p>
        Counter: <output data-testid="counter">{readCounter(key).count}</output>.{' '}
        <Link to={`${experimentPath('actions')}?key=${key}`} prefetch="never">
          Back to the actions
        </Link>
      </p>
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
