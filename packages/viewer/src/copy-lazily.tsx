import { useEffect, useState } from 'react';

import { copyText } from './copy-text.ts';

type CopyLazilyProps = {
  /** Completes "Copied: …". */
  readonly what: string;
  /** Makes the text on the click, because it may be megabytes. */
  readonly read: () => string;
  readonly children: string;
};

/** Long enough to be read, and to be announced by a slow screen reader. */
const noticeMs = 2_500;

/** A button that makes its text on the click and copies it. */
export function CopyLazily({ what, read, children }: CopyLazilyProps) {
  const [notice, setNotice] = useState('');

  useEffect(() => {
    if (notice === '') return undefined;
    const timer = setTimeout(() => setNotice(''), noticeMs);
    return () => clearTimeout(timer);
  }, [notice]);

  async function copy() {
    setNotice((await copyText(read())) ? 'Copied' : 'Not copied');
  }

  return (
    <>
      <button type="button" className="button-small" onClick={() => void copy()}>
        {notice || children}
      </button>
      <span aria-live="polite" className="sr-only">
        {notice && `${notice}: ${what}`}
      </span>
    </>
  );
}
