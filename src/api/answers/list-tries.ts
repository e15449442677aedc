import 'server-only';

import { listTries as list } from '#src/flights/for-operator/list-tries.ts';
import { tryRules } from '#src/flights/flight/forged-try.ts';
import { guardPath } from '#src/server/http/addresses.ts';

import type { ApiAnswer, ApiQuestion } from '../answer.ts';
import { chooseApp } from '../scope.ts';
import type { TryList } from '../schemas/tries.ts';
import { toTime } from '../schemas/values.ts';

export async function listTries({ access, fields, origin }: ApiQuestion): Promise<ApiAnswer> {
  const chosen = chooseApp(access, fields.get('app'));
  if (chosen.type === 'refused') return chosen;
  const { tries } = await list(chosen.app);
  const body: TryList = {
    tries: tries.flatMap(({ app, network, count, path, detail, body: sent, ...tried }) => {
      // A row of a later build may have a rule that this one does not know.
      const rule = tryRules.find((known) => known === tried.rule);
      if (rule === undefined) return [];
      return {
        app,
        rule,
        advisory: tried.advisory || null,
        network,
        status: tried.status || null,
        count,
        firstAt: toTime(tried.first_at),
        lastAt: toTime(tried.last_at),
        path,
        action: tried.action || null,
        detail,
        body: sent,
      };
    }),
    page: origin + guardPath,
  };
  return { type: 'json', body };
}
