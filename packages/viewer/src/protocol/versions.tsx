import 'server-only';

import { Section } from './section.tsx';

/** What changed on the wire. A test of packages/flight has each line of React write what is said of it here. */
const versions: readonly { readonly line: string; readonly changes: readonly string[] }[] = [
  { line: '18.3', changes: ['Next.js 13.4 and 14 use it: an I row holds an object, {id, chunks, name, async}.'] },
  {
    line: '19.0',
    changes: [
      'Everything on this page that says nothing else.',
      'Development writes five items of an element: the last is the owner.',
    ],
  },
  { line: '19.1', changes: ['Development writes seven: the stack, and whether keys were checked, come last.'] },
  {
    line: '19.2',
    changes: [
      'Development begins with an N row, writes J rows and $P, and can use a debug channel.',
      'A row that has grown past 3,200 characters is split: what follows are rows of their own, as $L.',
    ],
  },
  {
    line: '19.3',
    changes: [
      'Texts of 16 characters and more in I rows are rows of their own; until 32,768 characters of them were written.',
      'The pieces of byte streams are b rows, which were o rows before.',
      'A client can be told that a payload may be partial.',
    ],
  },
  {
    line: 'December 2025',
    changes: ['The security patches of 19.0 to 19.2 changed the letter of server references from $F to $h.'],
  },
];

export function Versions() {
  return (
    <Section anchor="versions" title="Versions">
      <dl className="protocol-keys">
        {versions.map(({ line, changes }) => (
          <div key={line} data-entry>
            <dt>
              <code>{line}</code>
            </dt>
            <dd>
              <ul>
                {changes.map((change) => (
                  <li key={change}>{change}</li>
                ))}
              </ul>
            </dd>
          </div>
        ))}
      </dl>
      <p className="text-quiet">
        Read from react-server-dom-webpack 19.0.9, 19.1.10, 19.2.9 and 19.3.1; the examples are written by 19.3.1 where
        its production server writes such a token.
      </p>
    </Section>
  );
}
