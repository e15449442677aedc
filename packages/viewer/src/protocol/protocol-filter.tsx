'use client';

import { useEffect, useId, useRef, useState } from 'react';

import { useHydrated } from '../use-hydrated.ts';
import { readQuery, type Searched } from './search-entries.ts';

/** The text of each entry, read once: the page itself is server-rendered and stays so. */
type Entry = Searched & { readonly element: HTMLElement };

function readEntries(within: HTMLElement): Entry[] {
  return [...within.querySelectorAll<HTMLElement>('[data-entry]')].map((element) => ({
    element,
    text: element.textContent,
    token: element.querySelector('.protocol-token')?.textContent ?? '',
  }));
}

/** Hides what does not match. Without JavaScript there is the browser’s own search. */
export function ProtocolFilter() {
  const id = useId();
  const isHydrated = useHydrated();
  const frame = useRef<HTMLDivElement>(null);
  const [query, setQuery] = useState('');
  const [shown, setShown] = useState<number>();

  useEffect(() => {
    const body = frame.current?.parentElement;
    if (!body) return;
    const matches = readQuery(query);
    let count = 0;
    const entries = readEntries(body);
    for (const entry of entries) {
      const isShown = matches?.(entry) ?? true;
      entry.element.hidden = !isShown;
      if (isShown) count += 1;
    }
    // A heading with nothing below it is hidden too.
    for (const section of body.querySelectorAll<HTMLElement>('.protocol-section, .protocol-compact')) {
      section.hidden = matches !== undefined && !section.querySelector('[data-entry]:not([hidden])');
    }
    setShown(matches === undefined ? undefined : count);
  }, [query]);

  return (
    <div ref={frame} className="protocol-filter">
      <label htmlFor={id} className="sr-only">
        Find a token or a word
      </label>
      <input
        id={id}
        type="search"
        value={query}
        placeholder="Find: $Q, T, stream, digest …"
        autoComplete="off"
        spellCheck={false}
        disabled={!isHydrated}
        aria-describedby={`${id}-count`}
        onChange={(event) => setQuery(event.target.value)}
      />
      <output id={`${id}-count`} className="text-sm text-quiet">
        {shown === undefined ? '' : shown === 0 ? 'Nothing found. Try a shorter sign, such as $L.' : `${shown} found`}
      </output>
    </div>
  );
}
