import 'server-only';

import { Fragment } from 'react';

import { countOf } from '#flight';

import { findApp, listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { readAllLeftMs } from '#src/apps/policy.ts';
import { listKept, type Kept } from '#src/flights/for-operator/list-kept.ts';
import { readRecordingState } from '#src/flights/recorder/recorder.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { appPath } from '#src/server/http/addresses.ts';
import { ownApp } from '#src/store/own-app.ts';

import { describePolicy } from './describe-policy.ts';
import { RecordEverything } from './record-everything.tsx';

const appsNamed = 3;

const reasons = {
  setting: 'as its setting says',
  recorder: 'as what records it says: RECORD, or that others reach it where RECORD is not set',
  server: 'as RECORD says',
} as const satisfies Record<Kept['saidBy'], string>;

/**
 * On pages that stay empty, or nearly, because of what is recorded: why, and a way to see more for a while. Nothing where everything
 * is recorded anyway.
 * @param props.app undefined: all but this server itself
 */
export async function WhyFewFlights({ app }: { app: string | undefined }) {
  return app === undefined ? <WhyFewOfOthers /> : <WhyFewOfApp app={app} />;
}

async function WhyFewOfOthers() {
  const kept = await listKept();
  const others = (await listAppNames()).filter(({ id }) => (kept.get(id)?.usual.mode ?? 'all') !== 'all');
  const [first] = others;
  if (!first) return null;
  if (others.length === 1) return <WhyFewOfApp app={first.id} />;
  return (
    <section aria-label="What is recorded" className="text-sm">
      <p>
        Not everything is recorded of{' '}
        {others.slice(0, appsNamed).map(({ id, name }, at) => (
          <Fragment key={id}>
            {at > 0 ? ', ' : ''}
            <Link to={appPath(id)} prefetch="intent">
              {name}
            </Link>
          </Fragment>
        ))}
        {others.length > appsNamed ? ` and ${countOf(others.length - appsNamed, 'more app')}` : ''}: the page of an app
        says what is, and records everything for 10 minutes.
      </p>
    </section>
  );
}

async function WhyFewOfApp({ app }: { app: string }) {
  const state = readRecordingState();
  const found = app === ownApp ? undefined : await findApp(app);
  if (!state || (app !== ownApp && !found)) return null;
  const kept = found && (await listKept()).get(found.id);
  const usual = kept?.usual ?? state.standard;
  if (usual.mode === 'all') return null;
  const until = found ? found.allUntil : state.allUntil;
  const usually = `${describePolicy(usual)}, ${reasons[kept?.saidBy ?? 'server']}`;
  return (
    <section aria-label="What is recorded" className="stack-1.5 text-sm">
      {readAllLeftMs(until) > 0 ? null : (
        <p>
          Recorded of {found ? found.name : 'Flight Recorder itself'}: {usually}.{' '}
          {usual.mode === 'sample'
            ? 'So sums are smaller than what was sent, and what failed is a larger share of them.'
            : 'So a list here may be empty though everything works.'}
        </p>
      )}
      <RecordEverything app={app} until={until} usually={usually} />
      {found ? (
        <p className="text-quiet">
          A proxy on this machine follows within two seconds. One on another machine sends what its own RECORD says, and
          this cannot make it send more.
        </p>
      ) : null}
    </section>
  );
}
