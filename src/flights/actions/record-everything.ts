'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { findApp } from '#src/apps/apps.ts';
import { recordAll, stopRecordingAll } from '#src/apps/record-all.ts';
import { requireOperator } from '#src/access/require-operator.ts';
import { recordAllUntil } from '#src/flights/recorder/recorder.ts';
import { ownApp } from '#src/store/own-app.ts';

/** Fields: `app`; `for`: `10-minutes`, or `stop`. So a form that is sent twice does not undo itself. */
export async function recordEverything(form: FormData): Promise<void> {
  requireOperator();
  const app = form.get('app');
  if (typeof app !== 'string' || (app !== ownApp && !(await findApp(app)))) return rerenderRoute();
  const isStop = form.get('for') === 'stop';
  if (isStop) await stopRecordingAll(app);
  const until = isStop ? 0 : await recordAll(app, Date.now());
  if (app === ownApp) recordAllUntil(until);
  rerenderRoute();
}
