import 'server-only';

import { formWords } from './form-words.ts';
import { rowWords } from './row-words.ts';
import { Section } from './section.tsx';

/** Most of any payload is made of these. */
const firstAnchors: readonly string[] = ['row-model', 'form-element', 'row-I', 'form-L', 'form-promise', 'row-E'];

/** The words that all entries use, and the entries to read first. */
export function StartHere() {
  const words = [...Object.values(rowWords), ...formWords];
  return (
    <Section anchor="start" title="Start here">
      <p>
        A server component sends its result as text. One part of that text is a <strong>row</strong>: an id, a colon,
        and a value. All rows together are the <strong>payload</strong>. A <strong>hole</strong> is a place in one row
        that a later row fills; until then React shows the fallback of the Suspense boundary around it. What stands
        outside of those boundaries is the <strong>shell</strong>. A <strong>digest</strong> is the code of an error,
        which only the server can look up.
      </p>
      <ul>
        {firstAnchors.map((first) =>
          words
            .filter(({ anchor }) => anchor === first)
            .map(({ anchor, token, name }) => (
              <li key={anchor}>
                <a href={`#${anchor}`} className="protocol-token">
                  {token}
                </a>{' '}
                {name}
              </li>
            )),
        )}
      </ul>
    </Section>
  );
}
