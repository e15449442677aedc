import { readFileSync } from 'node:fs';
import path from 'node:path';

import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import { decodeFlight } from '#flight';

import { readArrival } from '../arrival.ts';
import { performUnderstandTask } from '../understand-task.ts';
import { readWaits } from './row-waits.ts';
import { WaitWords } from './wait-words.tsx';

const recorded = path.join(import.meta.dirname, '../../../flight/fixtures/waku-1.0.0-rc.1-lab/promise-prop.flight');

it('names a promise that came last, for which nothing is known to have waited', () => {
  const bytes = new Uint8Array(readFileSync(recorded));
  const flight = decodeFlight(bytes);
  const chunks: { ms: number; bytes: number }[] = JSON.parse(
    readFileSync(recorded.replace('.flight', '.times.json'), 'utf8'),
  );
  const understood = performUnderstandTask({ flight, chunks });
  const arrival = readArrival({ bytes, chunks });
  const waits = readWaits(flight, arrival, understood.holes);
  const words = renderToStaticMarkup(
    <WaitWords
      flight={flight}
      arrival={arrival}
      understood={{ kind: 'known', understood }}
      waits={waits}
      onSelect={() => {}}
    />,
  );
  expect(words).toContain(
    'Nothing came noticeably later than what waited for it. The promise &quot;forecast&quot; of &lt;Forecast&gt; came 5',
  );
});
