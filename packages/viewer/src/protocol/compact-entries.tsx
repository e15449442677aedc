import 'server-only';

import { decodeFlight } from '#flight';

import { Becomes, readExample } from './example.tsx';
import { Marks } from './entry.tsx';
import { RawRows } from './raw-rows.tsx';
import type { Words } from './words.ts';

/** Tokens that are alike: a line for each. */
export function CompactEntries({ title, words }: { title: string; words: readonly Words[] }) {
  return (
    <div className="protocol-compact">
      <h3>{title}</h3>
      <ul>
        {words.map((entry) => (
          <CompactEntry key={entry.anchor} words={entry} />
        ))}
      </ul>
    </div>
  );
}

function CompactEntry({ words }: { words: Words }) {
  const flight = decodeFlight(new TextEncoder().encode(readExample(words.anchor) ?? ''));
  return (
    <li id={words.anchor} data-entry>
      <p>
        <a href={`#${words.anchor}`} className="protocol-token">
          {words.token}
        </a>{' '}
        <strong>{words.name}</strong> <Marks words={words} />
        <span className="text-quiet">{words.says}</span>
      </p>
      <div className="protocol-example">
        <RawRows flight={flight} />
        <div className="protocol-becomes">
          <Becomes flight={flight} />
        </div>
      </div>
    </li>
  );
}
