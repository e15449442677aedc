'use client';

import { useEffect, useState } from 'react';

async function follow(lines: AsyncIterable<string>, show: (all: readonly string[]) => boolean): Promise<void> {
  const all: string[] = [];
  for await (const line of lines) {
    all.push(line);
    if (!show([...all])) return;
  }
}

export function LogLines({ lines }: { lines: AsyncIterable<string> }) {
  const [read, setRead] = useState<readonly string[]>([]);

  useEffect(() => {
    let isShown = true;
    void follow(lines, (all) => {
      if (isShown) setRead(all);
      return isShown;
    });
    return () => {
      isShown = false;
    };
  }, [lines]);

  return (
    <ol aria-label="Log">
      {read.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ol>
  );
}
