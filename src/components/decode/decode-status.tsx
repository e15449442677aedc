import { formatBytes } from '#flight';

import { LeftOutList } from './left-out-list.tsx';
import type { Files } from './use-files.ts';

type DecodeStatusProps = { readonly files: Pick<Files, 'busy' | 'problems'> };

/** What is being decoded, and what could not be. */
export function DecodeStatus({ files: { busy, problems } }: DecodeStatusProps) {
  return (
    <>
      <div role="status" aria-live="polite" className="stack-2">
        {busy ? (
          <p>
            Decoding {busy.name}, {formatBytes(busy.size)}
            {busy.count > 1 ? `, ${busy.index + 1} of ${busy.count}` : ''} …
          </p>
        ) : null}
        {problems.map(({ name, title, text }, index) => (
          <div key={index} className="panel decode-problem">
            <h2>{title}</h2>
            <p className="[overflow-wrap:anywhere]">
              <span className="code">{name}</span>: {text}
            </p>
          </div>
        ))}
      </div>
      {problems.map(({ leftOut }, index) => (
        <LeftOutList key={index} leftOut={leftOut} />
      ))}
    </>
  );
}
