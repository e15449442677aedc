import 'server-only';

import { rootWords } from './root-words.ts';
import { Section } from './section.tsx';

export function Roots() {
  return (
    <Section anchor="roots" title="Roots of the frameworks">
      <p>
        What row 0 holds is the framework’s choice, and React does not look at it. These are the members that each one’s
        client reads; a response has some of them. Their meanings are from the types that the frameworks publish, and
        from what apps built with them send. They may change with any release.
      </p>
      {rootWords.map(({ anchor, title, says, keys }) => (
        <article key={anchor} id={anchor} className="protocol-entry" data-entry aria-labelledby={`${anchor}-name`}>
          <h3 id={`${anchor}-name`}>
            <a href={`#${anchor}`}>{title}</a>
          </h3>
          <p>{says}</p>
          <dl className="protocol-keys">
            {keys.map(({ path, name, says: meaning }) => (
              <div key={path}>
                <dt>
                  <code>{path}</code>
                </dt>
                <dd>
                  <strong>{name}</strong>: {meaning}
                </dd>
              </div>
            ))}
          </dl>
        </article>
      ))}
    </Section>
  );
}
