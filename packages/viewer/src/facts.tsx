import type { ReactNode } from 'react';

import type { GlossaryWord } from './glossary.ts';
import { Term } from './term.tsx';

export type Fact = {
  readonly name: string;
  /** The name is a word of the glossary. */
  readonly word?: GlossaryWord;
  readonly value: ReactNode;
};

/** Names with their values. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="grid text-sm">
      {facts.map(({ name, word, value }) => (
        <div
          key={name}
          className="grid gap-x-4 border-b border-line py-1.5 last:border-b-0 grid-cols-[6.5rem_minmax(0,1fr)]"
        >
          <dt className="text-quiet">{word ? <Term word={word}>{name}</Term> : name}</dt>
          <dd className="[overflow-wrap:anywhere]">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
