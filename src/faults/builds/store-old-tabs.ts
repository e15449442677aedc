import 'server-only';

import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { OldTabRequest } from '#src/flights/recorder/read-old-tabs.ts';
import { openStore } from '#src/store/open-store.ts';

import type { ErrorChange } from '../app-errors/insert-error.ts';
import { toErrorRow } from '../app-errors/to-error-row.ts';
import { toUserKey } from '../event/user-key.ts';
import { keep } from '../kept/keep.ts';
import { takesEvents } from '../receive/untrusted-budget.ts';
import { groupOldTab } from './group-old-tab.ts';
import { describeOldTab, instancesName, oldTabName } from './old-tab.ts';

/** In one transaction, which is one turn of the event loop. */
const storedAtOnce = 10;

/** A submission is lost each time. Of its navigations a tab tells once: Next.js then loads the document again. */
function nameError({ kind, requestId, visit, tabBuild, build }: OldTabRequest): string {
  const key = kind === 'action' ? requestId : [visit, tabBuild, build].join(' ');
  return createHash('sha256').update(`old tab ${key}`).digest('hex').slice(0, 32);
}

function toChange(request: OldTabRequest, receivedAt: number): ErrorChange {
  const { app, build, tabBuild, kind, method, path, route, framework, requestId, traceId, visit, startedAt } = request;
  const name = build !== '' && build === tabBuild ? instancesName : oldTabName;
  const { row, frames } = toErrorRow(
    app,
    {
      id: nameError(request),
      time: startedAt,
      reporter: 'other',
      framework,
      phase: kind === 'action' ? 'action' : 'unknown',
      kind,
      route,
      request: { method, path, id: requestId, traceId },
      release: build,
      name,
      message: name === oldTabName ? describeOldTab(tabBuild, build) : `Instances of build ${build} differ`,
    },
    receivedAt,
  );
  const user = visit === '' ? null : toUserKey(app, visit);
  const grouping = groupOldTab(name);
  return {
    row: { ...row, fingerprint: grouping.fingerprint, level: 'warning', user_key: user },
    frames,
    grouping,
    replaces: undefined,
  };
}

/** @returns false while there is no room @throws the database's error */
export async function storeOldTabs(requests: readonly OldTabRequest[], now: number): Promise<boolean> {
  if (requests.length > 0 && !takesEvents(await openStore())) return false;
  for (let from = 0; from < requests.length; from += storedAtOnce) {
    const changes = requests.slice(from, from + storedAtOnce).map((request) => toChange(request, now));
    await keep({ type: 'app-events', changes });
    await nextTurn();
  }
  return true;
}
