import { useId, type ReactNode } from 'react';

import type { GlossaryWord } from './glossary.ts';
import { Term } from './term.tsx';

type PanelProps = {
  readonly title: string;
  /** The word of the title that says on focus what it is. */
  readonly word?: GlossaryWord;
  /** Beside the title, for a count or a control. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
};

/** A part of a page with a title. The title is an `h2`: the page itself has the only `h1`. */
export function Panel({ title, word, aside, children }: PanelProps) {
  const id = useId();
  return (
    <section className="panel" aria-labelledby={id}>
      <div className="flex min-h-11 flex-wrap items-center justify-between gap-x-4 border-b border-line px-4 py-1.5">
        <h2 id={id} className="text-[0.9375rem]">
          {word ? <Term word={word}>{title}</Term> : title}
        </h2>
        {aside}
      </div>
      <div className="stack-3 px-4 py-3.5">{children}</div>
    </section>
  );
}
