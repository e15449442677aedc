import { travellers, type FlightHead } from '../../flight/flight-head.ts';

function isHead(fields: object): fields is FlightHead {
  return 'secrets' in fields && travellers.every(({ field }) => field in fields);
}

function sampleValue({ type, holds, travels }: (typeof travellers)[number]): unknown {
  if (travels === 'list' || holds === 'chunks' || holds === 'names') return [];
  if (!type.includes('not null')) return null;
  if (typeof holds === 'object') return holds[0];
  return type.startsWith('text') ? '' : 1;
}

/** For tests: a head with something in each field, so that a new column does not have to be named in every test. */
export function createSampleHead(head: Partial<FlightHead> = {}): FlightHead {
  const fields = Object.fromEntries(travellers.map((entry) => [entry.field, sampleValue(entry)]));
  const sample = { ...fields, secrets: [], status: 200, actionBytes: 0, debugBytes: 0, hitsBefore: 0, ...head };
  if (!isHead(sample)) throw new Error('The sample lacks a field');
  return sample;
}
