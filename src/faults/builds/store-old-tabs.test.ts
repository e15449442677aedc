import { describe, expect, it } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import type { OldTabRequest } from '#src/flights/recorder/read-old-tabs.ts';
import { openStore } from '#src/store/open-store.ts';

import { useStore } from '../grouping/testing/use-store.ts';
import { storeOldTabs } from './store-old-tabs.ts';

useOperator();
useStore();

let requests = 0;

function ask(more: Partial<OldTabRequest> = {}): OldTabRequest {
  requests += 1;
  return {
    app: 'shop',
    build: 'b',
    tabBuild: 'a',
    kind: 'action',
    method: 'POST',
    path: '/cart',
    route: '/cart',
    status: 409,
    framework: 'next',
    requestId: String(requests).padStart(32, '0'),
    traceId: '',
    visit: 'ada',
    startedAt: 1_000,
    ...more,
  };
}

async function readFaults() {
  const { db } = await openStore();
  return db
    .selectFrom('fault')
    .select(['app', 'side', 'name', 'message', 'level', 'count', 'users', 'first_release as release'])
    .orderBy('app')
    .orderBy('name')
    .execute();
}

describe('tabs of an earlier build', () => {
  it('are one fault of the app: each lost submission counts, a tab’s navigations once', async () => {
    const again = ask();
    const tabs = [
      again,
      ask({ visit: 'bob' }),
      ask({ kind: 'navigation', path: '/a' }),
      ask({ kind: 'navigation', path: '/b' }),
      ask({ kind: 'navigation', path: '/a', visit: 'eve' }),
    ];
    expect(await storeOldTabs(tabs, 2_000)).toBe(true);
    // A look that is repeated.
    await storeOldTabs([again], 3_000);
    await storeOldTabs([ask({ app: 'other', tabBuild: 'unknown' })], 3_000);
    const fault = { side: 'server', name: 'OldTab', level: 'warning', release: 'b' };
    expect(await readFaults()).toEqual([
      { ...fault, app: 'other', message: 'This tab is from an earlier build, you serve build b', count: 1, users: 1 },
      { ...fault, app: 'shop', message: 'This tab is from build a, you serve build b', count: 4, users: 3 },
    ]);
  });

  it('are told apart from instances of one build that differ', async () => {
    await storeOldTabs([ask(), ask({ tabBuild: 'b' })], 2_000);
    expect((await readFaults()).map(({ name, count }) => [name, count])).toEqual([
      ['InstancesDiffer', 1],
      ['OldTab', 1],
    ]);
  });
});
