import type { Flight } from './flight.ts';
import { guessFrameworkOf, type Guess } from './framework.ts';
import { noFacts, type RootFacts } from './frameworks/framework-record.ts';
import { recordOf, type Framework } from './frameworks/framework-records.ts';
import { readPayload } from './payload-reader.ts';

/**
 * What a payload says of the app it is from, beside its content: the framework, the route, what it was sent for. It is
 * read from the root row and the few rows this leads to, so that it costs little for bytes that nobody decodes yet.
 */
export type AppFacts = RootFacts & { readonly framework: Guess<Framework> | undefined };

/** The facts of a payload, decoded or not. Never throws. */
export function describeApp(payload: Flight | Uint8Array): AppFacts {
  const reader = readPayload(payload);
  const framework = guessFrameworkOf(reader);
  return { framework, ...(framework ? recordOf(framework.guess).readFacts(reader) : noFacts) };
}
