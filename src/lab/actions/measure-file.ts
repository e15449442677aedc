'use server';

import 'server-only';

import { createHash } from 'node:crypto';

export type FileState =
  | { readonly status: 'none' }
  | { readonly status: 'missing' }
  | { readonly status: 'measured'; readonly name: string; readonly bytes: number; readonly sha256: string };

export async function measureFile(_previous: unknown, form: FormData): Promise<FileState> {
  const file = form.get('file');
  if (!(file instanceof File) || file.name === '') return { status: 'missing' };
  const bytes = Buffer.from(await file.arrayBuffer());
  return {
    status: 'measured',
    name: file.name.slice(0, 100),
    bytes: bytes.byteLength,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
}
