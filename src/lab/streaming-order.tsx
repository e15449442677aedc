/**
 * The order of a stream
 *
 * Three parts stand one below the other, each in a Suspense boundary, and the first takes longest. Do parts come in the order of the
 * page, or in the order in which they finish?
 *
 * Look for: Row `0` comes before all parts and has a hole, `"$L…"`, for each. The row that fills a hole has its id, and comes when
 * its part is ready: the last part first. No part waits for the part above it.
 */
import { Suspense } from 'react';

import { wait } from './wait.ts';

export const group = 'A course, step by step';
export const order = 2;

const parts = [
  { name: 'First', ms: 600 },
  { name: 'Second', ms: 400 },
  { name: 'Third', ms: 200 },
];

async function Part({ name, ms }: { name: string; ms: number }) {
  await wait(ms);
  return (
    <p>
      {name}, after {ms} ms.
    </p>
  );
}

export default function StreamingOrder() {
  return parts.map(({ name, ms }) => (
    <Suspense key={name} fallback={<p>{name} is on its way.</p>}>
      <Part name={name} ms={ms} />
    </Suspense>
  ));
}
