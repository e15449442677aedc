import { Suspense } from 'react';

async function Slow() {
  await new Promise((resolve) => setTimeout(resolve, 200));
  throw new Error('Late, after the shell');
}

export function ServerComponent() {
  return (
    <main>
      <h1>Late</h1>
      <Suspense fallback={<p>Waiting</p>}>
        <Slow />
      </Suspense>
    </main>
  );
}
