import { useId, type ReactNode } from 'react';

import { glossary, type GlossaryWord } from './glossary.ts';

/**
 * A word of the interface's own. What it means is shown while it has the pointer or the focus, by touch too, and needs no script: CSS
 * shows it. It describes the button and is hidden otherwise, so that it is no part of the name of a heading around it.
 */
export function Term({ word, children }: { word: GlossaryWord; children?: ReactNode }) {
  const id = useId();
  return (
    <span className="term">
      <button type="button" aria-describedby={id}>
        {children ?? word}
      </button>
      <span role="tooltip" id={id} aria-hidden="true">
        {glossary[word]}
      </span>
    </span>
  );
}
