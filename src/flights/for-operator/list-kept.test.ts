import { expect, it } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { ensureApp, setRecord } from '#src/apps/apps.ts';
import { openStore } from '#src/store/open-store.ts';

import { currentWriter } from '../recorder/recorder.ts';
import { noteKept } from '../recorder/note-kept.ts';
import { useRecorder } from '../recorder/testing/use-recorder.ts';
import { listKept } from './list-kept.ts';

useOperator();
useRecorder();

it('says what is kept of an app: by its setting, else as the process in front of it told, else as this server', async () => {
  for (const app of ['blog', 'shop', 'docs']) await ensureApp(app);
  noteKept(currentWriter(), 'shop', { mode: 'all' });
  noteKept(currentWriter(), 'shop', { mode: 'errors' });
  noteKept(currentWriter(), 'docs', { mode: 'errors' });
  await setRecord('docs', 'sample:0.5');
  await currentWriter().flush();
  const kept = await listKept();
  expect(kept.get('blog')).toMatchObject({ usual: { mode: 'all' }, saidBy: 'server' });
  expect(kept.get('shop')).toEqual({ usual: { mode: 'errors' }, now: { mode: 'errors' }, saidBy: 'recorder' });
  expect(kept.get('docs')).toMatchObject({ usual: { mode: 'sample', share: 0.5 }, saidBy: 'setting' });
  await (await openStore()).close();
});
