import { Link } from 'waku/router/client';

import { readCounter } from '#src/lab/actions/counter.ts';
import { readVisitorKey } from '#src/lab/actions/visitor-key.ts';

export default function ActionsDonePage({ query }: { query: string }) {
  const key = readVisitorKey(query);
  return (
    <main>
      <title>The other page</title>
      <h1>The other page</h1>
      <p>
        Counter: <output data-testid="counter">{readCounter(key).count}</output>.{' '}
        <Link to={`/lab/actions?key=${key}`}>Back to the actions</Link>
      </p>
    </main>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
