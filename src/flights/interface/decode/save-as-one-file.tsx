import { useState } from 'react';

import { fillOneFile, type OneFile } from '#flight';

import { loadTemplate } from './load-template.ts';

type SaveProps = {
  /** What is saved, made on the click: it may be megabytes. */
  readonly make: () => Promise<Omit<OneFile, 'savedAt'>>;
};

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'saving' }
  | { readonly kind: 'saved'; readonly name: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** What any file system takes. */
function nameFile(title: string): string {
  const name = title.replaceAll(/[^\w.-]+/g, '-').replaceAll(/^[-.]+|[-.]+$/g, '');
  return `${name.slice(0, 60) || 'flight'}.html`;
}

function download(html: string, name: string): void {
  const address = URL.createObjectURL(new Blob([html], { type: 'text/html' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken it when the click is over.
  setTimeout(() => URL.revokeObjectURL(address));
}

/** Saves flights of this browser with their viewer in one file. They are uploaded nowhere. */
export function SaveAsOneFile({ make }: SaveProps) {
  const [state, setState] = useState<State>({ kind: 'idle' });
  async function save() {
    setState({ kind: 'saving' });
    try {
      const file = await make();
      const name = nameFile(file.title);
      download(await fillOneFile(await loadTemplate(), { ...file, savedAt: new Date().toISOString() }), name);
      setState({ kind: 'saved', name });
    } catch (error) {
      setState({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return (
    <>
      <button type="button" disabled={state.kind === 'saving'} onClick={() => void save()}>
        {state.kind === 'saving' ? 'Saving …' : 'Save as one file'}
      </button>
      {state.kind === 'failed' ? <span role="alert">It was not saved: {state.reason}</span> : null}
      <span role="status" className="sr-only">
        {state.kind === 'saved' ? `Saved as ${state.name}` : ''}
      </span>
    </>
  );
}
