import 'server-only';

import type { ReactNode } from 'react';

import type { Words } from './words.ts';

/** One token: what it is called, what it means, and an example that is decoded here. */
export function Entry({ words, children }: { words: Words; children: ReactNode }) {
  return (
    <article id={words.anchor} className="protocol-entry" data-entry aria-labelledby={`${words.anchor}-name`}>
      <h3 id={`${words.anchor}-name`}>
        <a href={`#${words.anchor}`} className="protocol-token">
          {words.token}
        </a>{' '}
        {words.name}
        <Marks words={words} />
      </h3>
      <p>{words.says}</p>
      {children}
    </article>
  );
}

/** Shows which React writes it, when that is not all of 19. */
export function Marks({ words: { since, isDevelopment } }: { words: Words }) {
  return (
    <>
      {isDevelopment ? <span className="protocol-mark">development</span> : null}
      {since ? <span className="protocol-mark">since {since}</span> : null}
    </>
  );
}
