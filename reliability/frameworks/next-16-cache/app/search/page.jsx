import { Suspense } from 'react';

async function Query({ searchParams }) {
  const { q = '' } = await searchParams;
  return <p>Nothing found for {q}</p>;
}

/** Needs the request, but nothing that changes: what is prefetched for this link is complete. */
export default function Search({ searchParams }) {
  return (
    <main>
      <h1>Search</h1>
      <Suspense fallback={<p>Waiting</p>}>
        <Query searchParams={searchParams} />
      </Suspense>
    </main>
  );
}
