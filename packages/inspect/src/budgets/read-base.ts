import { describeError, escapeText } from '#boundary';

import { isAddress } from '../compare-command/compare-arguments.ts';
import { compareRoute } from '../compare-command/compare-route.ts';
import { listLines } from '../compare-command/describe-route.ts';
import { isRecording, readRecording } from '../compare-command/read-recording.ts';
import { naming, readSide, type Side } from '../compare-command/read-side.ts';
import type { InputFlight } from '../flight-command/read-input.ts';

import { type Measured, measureFlights } from './measure-flights.ts';
import type { Loaded, LoadedFlight } from './open-loaded.ts';
import type { BaseName } from './read-budget.ts';

/** What the base sent for the same route, which limits such as `+5%` are more than. */
export type Base = {
  readonly measured: Measured;
  /** Nothing that the app sends is another: then it is no growth, as for `compare`. */
  readonly isSame: boolean;
  /** What changed since, as `compare` says it. */
  readonly changes: readonly string[];
};

/** Names and lines that a message holds: the rest is for `compare`. */
const maxListed = 10;

/** The one payload that was loaded. A base has one of each route, so several are no comparison. */
function takeOne({ flights }: Loaded): LoadedFlight {
  const [flight] = flights;
  if (!flight || flights.length > 1) {
    throw new Error(`a base has one payload of each route, and ${flights.length} were loaded`);
  }
  return flight;
}

/** The path with its query: the base is asked for what the test asked for. */
function readPath(address: string | undefined): string {
  if (address === undefined || !URL.canParse(address)) {
    throw new Error('what was loaded has no address; name the route of the base, such as route: "/products"');
  }
  const { pathname, search } = new URL(address);
  return pathname + search;
}

/** Why a side has no answer of the route, with what to do. */
function describeMissing({ routes, problems, recorded }: Side, route: string): string {
  if (recorded) return [`nobody asked it for ${route}`, ...problems].join('; ');
  // Of an address no more was asked for.
  if (routes.size === 0) return problems.slice(0, maxListed).join('; ') || 'it has no Flight';
  const names = [...routes.keys()].slice(0, maxListed).join(', ');
  return `it has no ${route}; name its route, of ${names}${routes.size > maxListed ? ', …' : ''}`;
}

/** The first is measured; the others tell what differs from answer to answer. */
type Answers = { readonly first: InputFlight; readonly all: readonly InputFlight[] };

async function readAnswers(
  { address }: Loaded,
  { isDocument }: LoadedFlight,
  { base, route: given }: BaseName,
): Promise<Answers> {
  const route = given ?? readPath(address);
  if (isAddress(base) && isDocument !== true) {
    throw new Error('of an address the document is compared, and what was loaded is none');
  }
  const recording = isRecording(base) ? await naming(base, readRecording(base)) : undefined;
  const side = await readSide(base, recording, [route], { headers: [], compared: 'document', tell: () => undefined });
  // A HAR's are called by their method, too.
  const all = side.routes.get(route) ?? side.routes.get(`GET ${route}`) ?? [];
  const [first] = all;
  if (!first) throw new Error(describeMissing(side, route));
  return { first, all };
}

/** @throws Error when the base has nothing of it to compare: what nobody compared is not within a budget */
export async function readBase(loaded: Loaded, name: BaseName): Promise<Base> {
  try {
    const flight = takeOne(loaded);
    const { first, all } = await readAnswers(loaded, flight, name);
    const compared = compareRoute(loaded.name, all, [flight]);
    return {
      measured: measureFlights([first]),
      isSame: compared.verdict === 'same',
      changes: listLines(compared).slice(0, maxListed),
    };
  } catch (error) {
    const reason = escapeText(describeError(error));
    throw new Error(`${loaded.name} is not compared with ${escapeText(name.base)}: ${reason}`, { cause: error });
  }
}
