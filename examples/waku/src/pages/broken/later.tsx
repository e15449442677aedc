import { Suspense } from 'react';
import { setTimeout as wait } from 'node:timers/promises';

async function Statistics(): Promise<never> {
  await wait(200);
  throw new Error('The statistics are missing');
}

export default function Later() {
  return (
    <>
      <h1>Statistics</h1>
      <Suspense fallback={<p>Counting …</p>}>
        <Statistics />
      </Suspense>
    </>
  );
}

export const getConfig = () => ({ render: 'dynamic' }) as const;
