'use client';

import { useEffect, useState } from 'react';

import { copyText } from '#viewer/copy-text.ts';
import { useHydrated } from '#viewer/use-hydrated.ts';

type State = 'ready' | 'copied' | 'failed';

/** Long enough to be read, and to be announced by a slow screen reader. */
const noticeMs = 2_500;

const captions: Record<State, string> = { ready: 'Copy', copied: 'Copied', failed: 'Not copied' };

/**
 * Copies `text`. `what` completes "Copy …" for people who do not see the value beside the button. The button appears
 * after hydration, since it does nothing without JavaScript.
 */
export function CopyButton({ text, what, className }: { text: string; what: string; className?: string }) {
  const isHydrated = useHydrated();
  const [state, setState] = useState<State>('ready');

  useEffect(() => {
    if (state === 'ready') return undefined;
    const timer = setTimeout(() => setState('ready'), noticeMs);
    return () => clearTimeout(timer);
  }, [state]);

  async function copy() {
    setState((await copyText(text)) ? 'copied' : 'failed');
  }

  if (!isHydrated) return null;
  return (
    <>
      {/* Its caption must not be announced a second time when it stands inside a live region. */}
      <span aria-live="off" className="flight-copy">
        <button type="button" className={className} onClick={() => void copy()}>
          {captions[state]}
          <span className="flight-sr-only"> {what}</span>
        </button>
      </span>
      <span aria-live="polite" className="flight-sr-only">
        {state === 'ready' ? '' : `${captions[state]}: ${what}`}
      </span>
    </>
  );
}
