import 'server-only';

import { listStorms as list } from '#src/flights/for-operator/list-storms.ts';
import { guardPath } from '#src/server/http/addresses.ts';

import type { ApiAnswer, ApiQuestion } from '../answer.ts';
import { chooseApp } from '../scope.ts';
import type { StormList } from '../schemas/storms.ts';
import { toTime } from '../schemas/values.ts';

export async function listStorms({ access, fields, origin }: ApiQuestion): Promise<ApiAnswer> {
  const chosen = chooseApp(access, fields.get('app'));
  if (chosen.type === 'refused') return chosen;
  const found = await list(chosen.app);
  const body: StormList = {
    storms: found.map(({ app, tab, route, requests, peak, bytes, sized, prefetches, unsure, month, ...storm }) => ({
      app,
      tab,
      route,
      page: storm.page || null,
      requests,
      peak,
      bytes: sized === 0 ? null : bytes,
      sized,
      prefetches,
      unsure,
      prefetchBytes: sized === 0 ? null : storm.prefetch_bytes,
      month: { requests: month.requests, bytes: month.bytes ?? null, price: month.price ?? null },
      firstAt: toTime(storm.first_at),
      lastAt: toTime(storm.last_at),
      requestId: storm.request_id,
    })),
    page: origin + guardPath,
  };
  return { type: 'json', body };
}
