import 'server-only';
import '../token-colors.css';
import './protocol.css';

import { Endings } from './endings.tsx';
import { Entry } from './entry.tsx';
import { Example, ReplyExample } from './example.tsx';
import { formWords, type FormWords } from './form-words.ts';
import { CompactEntries } from './compact-entries.tsx';
import { Framing } from './framing.tsx';
import { ProtocolFilter } from './protocol-filter.tsx';
import { replyWords } from './reply-words.ts';
import { hintWords, rowWords } from './row-words.ts';
import { Section } from './section.tsx';
import { StartHere } from './start-here.tsx';
import { tableOfContents } from './table-of-contents.ts';
import { Travel } from './travel.tsx';
import { Versions } from './versions.tsx';
import type { Words } from './words.ts';
import { rootWords } from './root-words.ts';

const rows = Object.values(rowWords);
const binaryTags = 'AOoUSsLlGgMmV';
const isBinary = ({ anchor }: Words) => binaryTags.includes(anchor.replace('row-', '')) && anchor.length === 5;
const isDevelopment = ({ isDevelopment: only }: Words) => only === true;
const isOfRequest = ({ direction }: FormWords) => direction === 'request';

type EntriesProps = { readonly words: readonly Words[]; readonly decode: string };

function Entries({ words, decode }: EntriesProps) {
  return words.map((entry) => (
    <Entry key={entry.anchor} words={entry}>
      <Example anchor={entry.anchor} name={entry.name} decode={decode} />
    </Entry>
  ));
}

function ReplyEntries({ words, decode }: EntriesProps) {
  return words.map((entry) => (
    <Entry key={entry.anchor} words={entry}>
      <ReplyExample anchor={entry.anchor} name={entry.name} decode={decode} />
    </Entry>
  ));
}

function Contents() {
  return (
    <nav aria-label="On this page" className="protocol-contents">
      <ul>
        {tableOfContents.map(({ anchor, title, tokens }) => (
          <li key={anchor}>
            <a href={`#${anchor}`}>{title}</a>
            {tokens.length === 0 ? null : (
              <ul className="protocol-tokens">
                {tokens.map((words) => (
                  <li key={words.anchor}>
                    <a href={`#${words.anchor}`} title={words.name}>
                      {words.short}
                    </a>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Roots() {
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

/**
 * All of Flight: what each token means, with an example that this server’s own decoder reads.
 * @param props.decode the address of the page that decodes
 */
export function ProtocolPage({ decode }: { decode: string }) {
  return (
    <div className="protocol">
      <Contents />
      <div className="grid gap-8 min-w-0">
        <ProtocolFilter />
        <StartHere />
        <Framing decode={decode} />
        <Section anchor="rows" title="Rows">
          <p>
            The byte after the colon is the row’s tag. A row without one is a model. Rows of development are further
            below.
          </p>
          <Entries decode={decode} words={rows.filter((words) => !isBinary(words) && !isDevelopment(words))} />
          <CompactEntries title="Hints, by the letter after H" words={Object.values(hintWords)} />
          <CompactEntries title="Binary rows" words={rows.filter(isBinary)} />
        </Section>
        <Section anchor="forms" title="Values that begin with $">
          <p>
            JSON has no Map, no Date, no promise and no way to name another row. So a string whose first character is{' '}
            <code>$</code> stands for one of these. Digits after it are the id of a row, in hex.
          </p>
          <Entries decode={decode} words={formWords.filter((words) => !isDevelopment(words) && !isOfRequest(words))} />
        </Section>
        <Section anchor="requests" title="Requests: calling a server action">
          <p>
            The browser sends the arguments of an action in the same language, by <code>POST</code>. There are no rows:
            the parts are the fields of a form. The server decodes them before it looks at what they mean, within limits
            (React 19.3: 1,000 bound arguments, BigInts of 300 digits, a million slots of arrays).
          </p>
          <ReplyEntries decode={decode} words={[...replyWords, ...formWords.filter(isOfRequest)]} />
        </Section>
        <Endings decode={decode} />
        <Travel />
        <Section anchor="development" title="Development">
          <p>
            A development server adds rows about the others. React’s production client refuses such a payload as a
            whole. React’s development client evaluates <code>$E</code> strings; this decoder evaluates nothing.
          </p>
          <Entries decode={decode} words={rows.filter(isDevelopment)} />
          <Entries decode={decode} words={formWords.filter(isDevelopment)} />
          <article id="debug-channel" className="protocol-entry" data-entry aria-labelledby="debug-channel-name">
            <h3 id="debug-channel-name">
              <a href="#debug-channel" className="protocol-token">
                Q: P: R:
              </a>{' '}
              debug channel <span className="protocol-mark">since 19.2</span>
            </h3>
            <p>
              A second connection for development’s rows, which keeps them out of the payload: the payload then refers
              to rows that it does not have. Waku’s dev server sends them over its own WebSocket. The client writes
              lines to it: <code>Q:1</code> asks for an object that was left out, <code>P:1</code> for a promise,{' '}
              <code>R:1</code> releases one, and an empty line closes the channel.
            </p>
          </article>
        </Section>
        <Roots />
        <Versions />
      </div>
    </div>
  );
}
