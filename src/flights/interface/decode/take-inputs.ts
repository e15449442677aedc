import { useEffect, useState } from 'react';

import type { Input } from './use-files.ts';

export function toTextInput(text: string, name: string): Input {
  return { name, blob: new Blob([text]), isPasted: true };
}

export function toFileInput(file: File): Input {
  return { name: file.name, blob: file, isPasted: false };
}

function readInputs(data: DataTransfer | null): Input[] {
  const files = Array.from(data?.files ?? [], toFileInput);
  const text = data?.getData('text/plain') ?? '';
  return files.length > 0 || text === '' ? files : [toTextInput(text, 'Pasted text')];
}

/** A search field takes what is pasted into it. The form's own field does not: see decode-form.tsx. */
function isSearching(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement;
}

/**
 * Takes what is pasted or dropped anywhere on the page, because a browser leaves the page for a file that misses a field.
 * Returns whether something is held over it.
 */
export function useDroppedInputs(onInputs: (inputs: readonly Input[]) => void): boolean {
  const [isOver, setIsOver] = useState(false);

  useEffect(() => {
    const lifetime = new AbortController();
    const { signal } = lifetime;
    function take(event: Event, data: DataTransfer | null) {
      const inputs = readInputs(data);
      if (inputs.length === 0) return;
      event.preventDefault();
      onInputs(inputs);
    }
    document.addEventListener(
      'paste',
      (event) => {
        if (!isSearching(event.target)) take(event, event.clipboardData);
      },
      { signal },
    );
    document.addEventListener(
      'drop',
      (event) => {
        setIsOver(false);
        take(event, event.dataTransfer);
      },
      { signal },
    );
    document.addEventListener(
      'dragover',
      (event) => {
        event.preventDefault();
        setIsOver(true);
      },
      { signal },
    );
    document.addEventListener(
      'dragleave',
      (event) => {
        if (event.relatedTarget === null) setIsOver(false);
      },
      { signal },
    );
    return () => lifetime.abort();
  }, [onInputs]);
  return isOver;
}
