'use client';

import { useFormState } from '#src/runtime/actions/use-form-state.ts';

import { measureFile, type FileState } from './measure-file.ts';

function describe(state: FileState): string {
  switch (state.status) {
    case 'none':
      return 'No file yet.';
    case 'missing':
      return 'Choose a file first.';
    case 'measured':
      return `${state.name}: ${state.bytes} bytes, SHA-256 ${state.sha256}`;
  }
}

export function UploadForm() {
  const { state, pending, form } = useFormState<FileState>(measureFile, { status: 'none' });
  return (
    <form action={form} aria-label="Upload">
      <label>
        File <input type="file" name="file" />
      </label>{' '}
      <button disabled={pending}>Measure</button>
      <p>
        <output data-testid="file">{describe(state)}</output>
      </p>
    </form>
  );
}
