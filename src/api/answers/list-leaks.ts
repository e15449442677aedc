import 'server-only';

import { listLeaks as list, type Leaks } from '#src/flights/for-operator/list-leaks.ts';
import { guardPath } from '#src/server/http/addresses.ts';

import type { ApiAnswer, ApiQuestion } from '../answer.ts';
import { chooseApp } from '../scope.ts';
import type { LeakList } from '../schemas/leaks.ts';
import { toTime } from '../schemas/values.ts';

type Counted = Leaks['secrets'][number];

function describe({ app, name, route, count, first_at: firstAt, last_at: lastAt, request_id: requestId }: Counted) {
  return { app, name, route, count, firstAt: toTime(firstAt), lastAt: toTime(lastAt), requestId };
}

export async function listLeaks({ access, fields, origin }: ApiQuestion): Promise<ApiAnswer> {
  const chosen = chooseApp(access, fields.get('app'));
  if (chosen.type === 'refused') return chosen;
  const { secrets, caches } = await list(chosen.app);
  const body: LeakList = {
    secrets: secrets.map((leak) => {
      const { rule, component, path } = leak;
      return { ...describe(leak), rule, component: component || null, path };
    }),
    caches: caches.map((leak) => ({ ...describe(leak), rule: leak.cacheRule, advice: leak.advice })),
    page: origin + guardPath,
  };
  return { type: 'json', body };
}
