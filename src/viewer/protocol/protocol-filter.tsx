'use client';

import { useEffect, useId, useRef, useState } from 'react';

import { useHydrated } from '#src/runtime/errors/use-hydrated.ts';

/** The text of each entry, read once: the page itself is server-rendered and stays so. */
type Entry = { readonly element: HTMLElement; readonly text: string; readonly token: string };

function readEntries(within: HTMLElement): Entry[] {
  return [...within.querySelectorAll<HTMLElement>('[data-entry]')].map((element) => ({
    element,
    text: element.textContent.toLowerCase(),
    token: element.querySelector('.protocol-token')?.textContent ?? '',
  }));
}

/** A token is looked for as it is written: `$S` is not `$s`. Words are found in any case. */
function matches({ text, token }: Entry, query: string): boolean {
  return query === '' || token.includes(query) || (query.length > 1 && text.includes(query.toLowerCase()));
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
    const wanted = query.trim();
    let count = 0;
    const entries = readEntries(body);
    for (const entry of entries) {
      const isShown = matches(entry, wanted);
      entry.element.hidden = !isShown;
      if (isShown) count += 1;
    }
    // A heading with nothing below it is hidden too.
    for (const section of body.querySelectorAll<HTMLElement>('.protocol-section, .protocol-compact')) {
      section.hidden = wanted !== '' && !section.querySelector('[data-entry]:not([hidden])');
    }
    setShown(wanted === '' ? undefined : count);
  }, [query]);

  return (
    <div ref={frame} className="protocol-filter">
      <label htmlFor={id} className="flight-sr-only">
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
        {shown === undefined ? '' : shown === 0 ? 'Nothing on this page says so.' : `${shown} found`}
      </output>
    </div>
  );
}
