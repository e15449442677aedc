import 'server-only';

import { Example } from './example.tsx';
import { framingWords } from './part-words.ts';
import { Section } from './section.tsx';

/** What a payload is, before its parts. */
export function Framing({ decode }: { decode: string }) {
  return (
    <Section anchor="framing" title="What Flight is">
      <p>
        A React server writes what its components rendered as a stream of bytes: a payload. React’s client makes
        elements of it again. The format has no official description; this page says what React 19.0 to 19.3 write and
        read.
      </p>
      <p>
        A payload is a sequence of rows. Each has an id and a body, and bodies refer to other rows by their ids. A row
        is written when it is ready, so ids come in any order, and row 0, the root, may be late. A row may refer to a
        later row: the browser waits for it at that place.
      </p>
      <Example anchor="row-I" name="a small payload" decode={decode} />
      <p>A row has one of three forms, which the byte after the colon tells:</p>
      <ul>
        <li data-entry>
          <code>id : JSON newline</code>, a model. JSON never begins with a letter that is a tag.
        </li>
        <li data-entry>
          <code>id : tag text newline</code>, when the tag is another capital letter, <code>r</code> or <code>x</code>.
        </li>
        <li data-entry>
          <code>id : tag length , bytes</code>, when it is one of <code>T A O o b U S s L l G g M m V</code>. The length
          counts bytes, in hex, and no newline follows: the next row begins at once.
        </li>
      </ul>
      <ul>
        {Object.values(framingWords).map((words) => (
          <li key={words.name} data-entry>
            <strong>{words.name}</strong>: {words.says}
          </li>
        ))}
        <li data-entry>
          Ids are lower-case hex without leading zeros; React keeps 32 bits of them. Rows without an id (hints, time
          origins, console calls) begin with the colon. A stream’s rows all have its id.
        </li>
        <li data-entry>
          The network may cut a payload anywhere: within a row, a length, or a character of several bytes.
        </li>
        <li data-entry>
          React’s client drops keys named <code>__proto__</code>, and members of objects whose value is{' '}
          <code>$undefined</code>.
        </li>
      </ul>
    </Section>
  );
}
