'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { findApp } from '#src/apps/apps.ts';
import { requireOperator } from '#src/access/require-operator.ts';
import { deleteUploads } from '#src/faults/source-maps/delete-uploads.ts';

/** Deletes the source maps of one release, or of all where the form names none. Uploading them again brings them back. */
export async function deleteSourceMaps(form: FormData): Promise<void> {
  requireOperator();
  const [id, release] = [form.get('id'), form.get('release')];
  if (typeof id !== 'string' || !(await findApp(id))) return;
  await deleteUploads(id, typeof release === 'string' ? release : undefined);
  rerenderRoute();
}
