import 'server-only';

import { formatFaultQuery, parseFaultQuery, toListQuery } from '#src/faults/interface/faults/fault-query.ts';
import { faultsPath, readApiAddress } from '#src/server/http/addresses.ts';
import { type FaultPlace, listFaults as list } from '#src/faults/grouping/list-faults.ts';

import type { ApiAnswer, ApiQuestion } from '../answer.ts';
import { usualPage } from '../list-parameters.ts';
import { readInteger } from '../parameters.ts';
import { chooseApp } from '../scope.ts';
import type { FaultList } from '../schemas/faults.ts';
import { toTime } from '../schemas/values.ts';
import { writeFault } from './write-fault.ts';

/** The same list from another place. */
function toPath(fields: URLSearchParams, place: FaultPlace | undefined): string | null {
  if (!place) return null;
  const next = new URLSearchParams(fields);
  next.delete('after');
  next.delete('before');
  next.set(place.side, `${place.value}.${place.id}`);
  return `${readApiAddress('faults')}?${next.toString()}`;
}

export async function listFaults({ fields, access, origin, now }: ApiQuestion): Promise<ApiAnswer> {
  const chosen = chooseApp(access, fields.get('app'));
  if (chosen.type === 'refused') return chosen;
  const query = { ...parseFaultQuery(fields.toString()), app: chosen.app };
  const limit = readInteger(fields, 'limit') ?? usualPage;
  const found = await list({ ...toListQuery(query, now), limit }, now);
  const body: FaultList = {
    faults: found.faults.map((fault) => ({
      ...writeFault(fault, origin),
      recent: { from: toTime(fault.recent.from), counts: [...fault.recent.counts] },
      found: fault.found ?? null,
    })),
    matching: found.filtered,
    untrustedLeftOut: found.untrustedLeftOut,
    total: found.total,
    searchedOnly: found.searchedOnly ?? null,
    trace: found.trace ?? null,
    next: toPath(fields, found.next),
    previous: toPath(fields, found.previous),
    page: `${origin}${faultsPath}${formatFaultQuery(query)}`,
  };
  return { type: 'json', body };
}
