import { unstable_notFound as notFound } from 'waku/router/server';

import { CompareTwo } from '#src/flights/interface/compare-two.tsx';
import { parseFlightId } from '#src/flights/interface/flight-query.ts';
import { readFlight } from '#src/flights/for-operator/queries.ts';

async function open(text: string) {
  const id = parseFlightId(text);
  const recorded = id === undefined ? undefined : await readFlight(id);
  return recorded ?? notFound();
}

/** `other` is what was before, `id` what is after. */
export default async function DiffPage({ id, other, query }: { id: string; other: string; query: string }) {
  return <CompareTwo before={await open(other)} after={await open(id)} query={query} />;
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
