import type { FoundFlight, ReplyPart, SavedFlight } from '#flight';

import { describeFound, readPageSource, readResponseFacts, readServerTime, readSizes } from './describe-found.ts';

/** The body of a request as a browser sends it: text alone, or a form. */
async function writeBody(body: string | readonly ReplyPart[]): Promise<Uint8Array> {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  const form = new FormData();
  for (const { name, value } of body) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([value.data.slice()], { type: value.type }), value.filename);
  }
  return new Uint8Array(await new Response(form).arrayBuffer());
}

/**
 * A flight that was found, as it is saved with its viewer.
 * @param name the file's, or what stands for it
 * @param sources where they are not in the flight itself
 */
export async function toSavedFlight(
  found: FoundFlight,
  name: string,
  sources: SavedFlight['sources'] = [],
): Promise<SavedFlight> {
  const isResponse = found.direction === 'response';
  const bytes = isResponse ? found.bytes : await writeBody(found.body);
  return {
    ...describeFound(found, name),
    direction: found.direction,
    bytes,
    chunks: isResponse ? found.chunks : [],
    sizes: readSizes(found) ?? { response: undefined, transferred: undefined },
    pageSource: readPageSource(found),
    response: readResponseFacts(found),
    sources: found.origin.kind === 'saved' ? found.origin.saved.sources : sources,
    serverTime: readServerTime(found),
  };
}
