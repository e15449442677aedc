'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { setRecord as set } from '#src/apps/apps.ts';
import { isRecordSetting } from '#src/apps/policy.ts';
import { requireOperator } from '#src/access/require-operator.ts';

export type RecordState = { readonly status: 'idle' | 'set' | 'not-a-setting' | 'gone' };

/** An empty text is the server's own setting. */
export async function setRecord(_previous: unknown, form: FormData): Promise<RecordState> {
  requireOperator();
  const [id, record] = [form.get('id'), form.get('record')];
  if (typeof record !== 'string' || !(record === '' || isRecordSetting(record))) return { status: 'not-a-setting' };
  if (typeof id !== 'string' || !(await set(id, record === '' ? undefined : record))) return { status: 'gone' };
  rerenderRoute();
  return { status: 'set' };
}
