import 'server-only';

import { decodeFlight, openFlights } from '#flight';

import { Becomes } from './example.tsx';
import { Entry } from './entry.tsx';
import { travelExamples } from './examples.ts';
import { RawRows } from './raw-rows.tsx';
import { Section } from './section.tsx';
import type { Words } from './words.ts';

/** The ways a payload reaches a browser. */
export const travelWords: readonly Words[] = [
  {
    anchor: 'travel-response',
    token: 'text/x-component',
    name: 'a response of its own',
    says: 'A navigation, a prefetch or the answer to an action is the payload and nothing else. The content type is text/x-component; Waku says text/plain, and React Router often says nothing.',
  },
  {
    anchor: 'travel-next',
    token: '__next_f',
    name: 'in a page of Next.js',
    says: 'Scripts of the HTML push pieces of the payload: [1, text], and [3, base64] for pieces that are no text. [0] begins, [2, state] is the state of a form. A piece may end anywhere, within a row too.',
  },
  {
    anchor: 'travel-stream',
    token: '__FLIGHT_DATA',
    name: 'in a page of Waku, React Router, Parcel, RedwoodSDK or plugin-rsc',
    says: 'rsc-html-stream’s scripts push pieces of text, or a Uint8Array of base64 for pieces that are no text.',
  },
  {
    anchor: 'travel-marker',
    token: '# ~',
    name: 'Next.js’s one byte',
    says: 'With cacheComponents, Next.js writes one byte before the payload: # for one that is complete, ~ for one with holes. No row begins so.',
  },
  {
    anchor: 'travel-frames',
    token: 'x-tss-framed',
    name: 'in frames of TanStack Start',
    says: 'A server function answers with frames: a byte for the type (0 JSON, 1 piece, 2 end, 3 error), four bytes for the stream, four for the length, both most significant byte first, then the piece. In a page the same is in $_TSR’s scripts.',
  },
];

function readTravelExample(anchor: string): string | undefined {
  return Object.entries(travelExamples).find(([name]) => name === anchor)?.[1];
}

async function TravelExample({ anchor }: { anchor: string }) {
  const text = readTravelExample(anchor);
  if (text === undefined) return null;
  const input = await openFlights(new TextEncoder().encode(text));
  const found = input.kind === 'flights' ? input.flights[0] : undefined;
  if (found?.direction !== 'response') return null;
  const flight = decodeFlight(found.bytes);
  return (
    <div className="protocol-example">
      <pre className="protocol-raw">{text}</pre>
      <div className="protocol-becomes">
        <RawRows flight={flight} />
        <Becomes flight={flight} />
        {flight.marker ? <code>{`marked as ${flight.marker}`}</code> : null}
      </div>
    </div>
  );
}

export function Travel() {
  return (
    <Section anchor="travel" title="How it travels">
      <p>
        The first page comes as HTML with the payload inside, so that React can begin without a second request. What
        follows comes alone. Caches and proxies that mix the two up are a common fault: both may have the same address,
        and differ by a request header only.
      </p>
      {travelWords.map((words) => (
        <Entry key={words.anchor} words={words}>
          <TravelExample anchor={words.anchor} />
        </Entry>
      ))}
    </Section>
  );
}
