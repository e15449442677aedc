import {
  countOf,
  type Flight,
  type FlightFile,
  type FoundFlight,
  type FrameFlight,
  type HarFlight,
  type HtmlFlight,
  findServerTime,
  isCutOff,
  listRowCauses,
  type ServerTime,
  type UnreadableReason,
} from '#flight';

import type { OpenedFlight } from '#viewer/opened-flight.ts';

/** The words of the page: for a flight that was found, and for an input without one. */
type FoundTitle = Pick<OpenedFlight, 'title' | 'facts'>;

/** `name` is the file's, or what stands for it. */
export function describeFound({ origin, direction }: FoundFlight, name: string): FoundTitle {
  const isRequest = direction === 'request';
  const suffix = isRequest ? ': arguments' : '';
  switch (origin.kind) {
    case 'payload': {
      const from = { name: 'From', value: 'the body of a server action’s request' };
      const mended = listMended(origin.mended);
      return { title: name, facts: isRequest ? [from, ...mended] : mended };
    }
    case 'html':
      return { title: namePage(name, origin.page), facts: listPageFacts(origin.page) };
    case 'har':
      return { title: nameHarFlight(origin.entry) + suffix, facts: listHarFacts(origin.entry, isRequest) };
    case 'frames':
      return { title: `${name}: stream ${origin.stream.stream}`, facts: listFrameFacts(origin.stream) };
    case 'flight-file': {
      const { method, path, query, kind } = origin.file.facts;
      const title = `${method} ${path}${query.length > 0 ? `?${query.join('&')}` : ''} (${kind})${suffix}`;
      return { title, facts: listFileFacts(origin.file) };
    }
    case 'saved':
      return { title: origin.saved.title, facts: origin.saved.facts };
  }
}

/** Returns the bytes of what was found; of a request in text its characters, which are nearly that. */
export function sizeOf(found: FoundFlight): number {
  if (found.direction === 'response') return found.bytes.length;
  if (typeof found.body === 'string') return found.body.length;
  return found.body.reduce((sum, { value }) => sum + (typeof value === 'string' ? value : value.data).length, 0);
}

export function toOpenedFlight(found: FoundFlight, flight: Flight, name: string): OpenedFlight {
  const chunks = found.direction === 'response' ? found.chunks : [];
  const pageSource = readPageSource(found);
  const response = readResponseFacts(found);
  const sizes = readSizes(found);
  const time = readServerTime(found);
  return {
    flight,
    bytes: flight.bytes,
    sizes,
    chunks,
    pageSource,
    response,
    requests: time && listRowCauses(time),
    ...describeFound(found, name),
  };
}

/** A HAR and an exported flight say how large the response was around the rows, and as it was sent. A request’s body is no response. */
export function readSizes({ origin, direction }: FoundFlight): OpenedFlight['sizes'] {
  if (direction === 'request') return undefined;
  if (origin.kind === 'har') {
    return { response: origin.entry.responseBytes, transferred: origin.entry.transferredBytes };
  }
  if (origin.kind === 'saved') return origin.saved.sizes;
  if (origin.kind !== 'flight-file') return undefined;
  const { sizes } = origin.file.facts;
  return { response: sizes?.response ?? undefined, transferred: sizes?.transferred ?? undefined };
}

/** What the server did meanwhile, where a recorder knew it. Not of what an action was called with. */
export function readServerTime({ origin, direction }: FoundFlight): ServerTime | undefined {
  return direction === 'request' ? undefined : findServerTime(origin);
}

export function readResponseFacts({ origin }: FoundFlight): OpenedFlight['response'] {
  switch (origin.kind) {
    case 'payload':
    case 'html':
    case 'frames':
      return undefined;
    case 'har':
      return origin.entry.missingBytes > 0 ? { isKeptInPart: true } : undefined;
    case 'saved':
      return origin.saved.response;
    case 'flight-file': {
      const { kind, rendering, outcome, sizes, codec } = origin.file.facts;
      const isCut = isCutOff(kind, outcome);
      const { response, transferred } = sizes ?? {};
      const isMeasured = typeof response === 'number' && typeof transferred === 'number';
      const transfer = isMeasured ? { response, sent: transferred, codec: codec ?? undefined } : undefined;
      const [isPrerender, isLeft] = [rendering === 'prerendered', outcome === 'left' || undefined];
      return { isPrefetch: kind === 'prefetch', isPrerender, isCut, isLeft, transfer };
    }
  }
}

export function readPageSource({ origin }: FoundFlight): OpenedFlight['pageSource'] {
  switch (origin.kind) {
    case 'payload':
    case 'frames':
      return undefined;
    case 'har':
      return origin.entry.source === 'response' ? undefined : origin.entry.source;
    case 'html':
    case 'flight-file':
      return origin.page?.source;
    case 'saved':
      return origin.saved.pageSource;
  }
}

const htmlSources: Record<HtmlFlight['source'], string> = {
  next: 'Next.js (__next_f)',
  'rsc-html-stream': '__FLIGHT_DATA',
  'tanstack-start': 'TanStack Start ($_TSR)',
};

/** Only TanStack Start's pages have several payloads of one kind. */
function namePage(name: string, { source, stream }: HtmlFlight): string {
  return source === 'tanstack-start' ? `${name}: stream ${stream}` : name;
}

function listPageFacts({ source, ends, broken }: HtmlFlight): OpenedFlight['facts'] {
  return [
    {
      name: 'From',
      value: `an HTML page’s scripts, ${htmlSources[source]}, in ${countOf(ends.length, 'piece')}`,
    },
    ...(broken === 0
      ? []
      : [{ name: 'Unreadable', value: `${countOf(broken, 'piece that is', 'pieces that are')} not base64` }]),
  ];
}

function listFrameFacts({ ends, error }: FrameFlight): OpenedFlight['facts'] {
  return [
    { name: 'From', value: `a server function of TanStack Start, in ${countOf(ends.length, 'frame')}` },
    ...(error === undefined ? [] : [{ name: 'Failed', value: error }]),
  ];
}

function nameHarFlight({ method, url, source }: HarFlight): string {
  const path = /^https?:\/\/[^/]*(\/[^#]*)/.exec(url)?.[1] ?? url;
  return `${method} ${path}${source === 'response' ? '' : ' (in the page)'}`;
}

function listMended(mended: readonly string[]): OpenedFlight['facts'] {
  return mended.map((words) => ({ name: 'Mended', value: `it was ${words}` }));
}

function listHarFacts(flight: HarFlight, isRequest: boolean): OpenedFlight['facts'] {
  return [
    { name: 'Address', value: flight.url },
    { name: 'Status', value: String(flight.status) },
    { name: 'Started', value: flight.startedAt },
    { name: 'First byte', value: `${Math.round(flight.firstByteMs)} ms` },
    { name: 'End', value: `${Math.round(flight.totalMs)} ms` },
    ...(flight.missingBytes > 0
      ? [{ name: 'Cut', value: `${countOf(flight.missingBytes, 'byte is', 'bytes are')} missing in the HAR` }]
      : []),
    ...(flight.isLossy ? [{ name: 'Lossy', value: 'binary data was lost when the HAR was saved' }] : []),
    ...(isRequest ? [] : listMended(flight.mended)),
  ];
}

function listFileFacts({ facts }: FlightFile): OpenedFlight['facts'] {
  return [
    { name: 'Recorded', value: facts.startedAt },
    ...(facts.lastAt === null
      ? []
      : [
          {
            name: 'Counted',
            value: `the first of ${countOf(facts.hits, 'hit')}, the last at ${facts.lastAt}`,
          },
        ]),
    { name: 'Route', value: facts.route },
    { name: 'Status', value: `${facts.status}, ${facts.rendering}, ${facts.outcome}` },
    { name: 'Took', value: `${Math.round(facts.durationMs)} ms` },
    { name: 'Request id', value: facts.requestId },
    ...(facts.action === null ? [] : [{ name: 'Action', value: facts.action }]),
  ];
}

/** Why there is nothing to show, and what can be done about it. */
export function describeReason(reason: UnreadableReason, detail = ''): { title: string; text: string } {
  const unknown = [
    'This does not look like Flight',
    'A payload begins with a row, such as 0:{"…} or 1:I["…"]. A page begins with <!DOCTYPE html>, a HAR with {"log":.',
  ] as const;
  const words: Record<UnreadableReason, readonly [title: string, text: string]> = {
    empty: ['There is nothing in it', 'Not a single byte, or only white space.'],
    'too-large': ['This is too large', 'Files of up to 64 MiB are read; the limit also applies after decompression.'],
    unsupported: [
      `This is compressed with ${detail}`,
      `Browsers cannot unpack that. Unpack it with \`${detail} -d\` first.`,
    ],
    damaged: ['This gzip file cannot be unpacked', 'It is damaged, cut off, or compressed twice.'],
    'headers-only': [
      'This is the headers of a response',
      `There is no body after them (${detail}), or the empty line between them and the body is missing.`,
    ],
    'other-format': ['This is another kind of file', `It is ${detail}.`],
    'frames-without-flight': [
      'There is no Flight in this answer',
      'It is what a server function of TanStack Start answers, and no server component is in it.',
    ],
    'html-without-flight': [
      'This page carries no Flight',
      'It has none of Next.js’s __next_f scripts, __FLIGHT_DATA, and TanStack Start’s streams. Take the page’s source as the server sent it, not as the browser’s inspector shows it.',
    ],
    'har-without-flight': [
      'There is no Flight in this HAR',
      'Browsers leave response bodies out unless they are told otherwise: choose “Save all as HAR with content”, and load the pages while the network panel is open.',
    ],
    'flight-file-without-flight': [
      'This exported flight has no payload',
      'The response had no Flight rows, so there is nothing to show.',
    ],
    'broken-one-file': ['This saved file cannot be read', `It says: ${detail}.`],
    'broken-har': ['This HAR cannot be read', detail],
    'broken-flight-file': ['This exported flight cannot be read', `It says: ${detail}.`],
    'other-json': unknown,
    unknown,
  };
  const [title, text] = words[reason];
  return { title, text };
}
