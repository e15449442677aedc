import 'server-only';

import { decodeFlight } from '#flight';

import { Entry } from './entry.tsx';
import { Example, readExample } from './example.tsx';
import { Section } from './section.tsx';
import type { Words } from './words.ts';

/** The states in which the decoder leaves a payload: `flight.state.kind`, by the anchor. */
export const endingWords: readonly Words[] = [
  {
    anchor: 'end-complete',
    token: '✓',
    name: 'complete',
    says: 'It ends after a row, and every row that was promised came.',
  },
  {
    anchor: 'end-aborted',
    token: '✕',
    name: 'aborted',
    says: 'The server gave up. It wrote one error row, and every row that was still open became a reference to it.',
  },
  {
    anchor: 'end-halted',
    token: '…',
    name: 'halted',
    says: 'It ends after a row, but rows that were promised never came. A prerender stops so on purpose; a connection that is cut exactly there looks the same. React’s client says “Connection closed.”, unless it was told to expect such a payload (since 19.3).',
  },
  {
    anchor: 'end-truncated',
    token: '✂',
    name: 'truncated',
    says: 'It ends within a row, or before the root row. The connection was cut, or what kept the payload cut it.',
  },
  {
    anchor: 'end-malformed',
    token: '!',
    name: 'malformed',
    says: 'There is a byte that cannot be Flight. The rows before it can be read, and those after it too when only one row’s JSON is broken or only a line is blank.',
  },
];

export function stateOfExample(anchor: string): string {
  return decodeFlight(new TextEncoder().encode(readExample(anchor) ?? '')).state.kind;
}

export function Endings({ decode }: { decode: string }) {
  return (
    <Section anchor="endings" title="How a payload ends">
      <p>Nothing marks the end: the connection closes. So the end is told from what is missing.</p>
      {endingWords.map((words) => (
        <Entry key={words.anchor} words={words}>
          <Example anchor={words.anchor} name={words.name} decode={decode} />
          <p className="text-quiet">
            The decoder calls it <code>{stateOfExample(words.anchor)}</code>.
          </p>
        </Entry>
      ))}
    </Section>
  );
}
