import { Suspense } from 'react';

async function Slow() {
  await new Promise((resolve) => setTimeout(resolve, 200));
  throw new Error('Late, after the shell');
}

export default function Late() {
  return (
    <main>
      <h1>Late</h1>
      <Suspense fallback={<p>Waiting</p>}>
        <Slow />
      </Suspense>
    </main>
  );
}

export const getConfig = async () => ({ render: 'dynamic' });
