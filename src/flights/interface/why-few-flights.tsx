import 'server-only';

import { findApp } from '#src/apps/for-operator/read-apps.ts';
import { readAllLeftMs } from '#src/apps/policy.ts';
import { listKept, type Kept } from '#src/flights/for-operator/list-kept.ts';
import { readRecordingState } from '#src/flights/recorder/recorder.ts';
import { ownApp } from '#src/store/own-app.ts';

import { describePolicy } from './describe-policy.ts';
import { RecordEverything } from './record-everything.tsx';

const reasons = {
  setting: 'as its setting says',
  recorder: 'as what records it says: RECORD, or that others reach it where RECORD is not set',
  server: 'as RECORD says',
} as const satisfies Record<Kept['saidBy'], string>;

/**
 * On pages that stay empty, or nearly, because of what is recorded: why, and a way to see more for a while. Nothing where everything
 * is recorded anyway.
 */
export async function WhyFewFlights({ app }: { app: string }) {
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
          Recorded of {found ? found.name : 'Flight Recorder itself'}: {usually}. So a list here may be empty though
          everything works.
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
