import { isAppId } from '#src/apps/app-id.ts';
import { parseRecorderUrl } from '#report/recorder-url.ts';
import { describeError, isRecord, toPlainJson } from '#boundary';
import { checkMountPath } from '#src/waku/mount/mount-path.ts';

/** Each can be had alone: of a part that is off, nothing is in the app's bundles. */
export type Parts = {
  /** A digest for every error of the server, and the error pages that show it. */
  readonly digests: boolean;
  /** Flights are recorded. */
  readonly recorder: boolean;
  /** `<Link>`, the prefetch store, and the limit of 3.8 s on loading a route. */
  readonly navigation: boolean;
  /** Actions are posted to the page's URL. */
  readonly actions: boolean;
  /** Browsers report their errors. */
  readonly reports: boolean;
  /** A flight tells what the app's server components and server functions waited for. Needs `recorder`. */
  readonly serverTime: boolean;
};

/** What `flightRecorder()` in an app's waku.config.ts is given. */
export type FlightRecorderOptions = { readonly [Part in keyof Parts]?: Parts[Part] | undefined } & {
  /** Where the interface stands in the app, below its `basePath`: `/_flight` without it. `false`: there is none. */
  readonly mount?: string | false | undefined;
  /** The app's id. Without it: from package.json's name. */
  readonly app?: string | undefined;
  /** The data folder. Without it: `FLIGHT_DATA`, else `data`. */
  readonly data?: string | undefined;
  /** A recorder elsewhere, `https://<key>@<host>/<app>`: there is no interface here then. `FLIGHT_RECORDER` wins at run time. */
  readonly to?: string | undefined;
  /** Refuses the actions that Flight Recorder's own pages refuse: of over 1 MiB, of other origins, unknown ones. Needs `actions`. */
  readonly strictActions?: boolean | undefined;
  /** Refuses calls that no client of React could have written. What becomes of those above 1 MiB, which nobody looks at. */
  readonly blockForged?: 'pass' | 'refuse' | undefined;
};

/** The options, checked, with their defaults where these do not depend on the app's folder. */
export type ReadOptions = {
  readonly mount: string | false;
  readonly app: string | undefined;
  readonly data: string | undefined;
  readonly to: string | undefined;
  readonly strictActions: boolean;
  readonly blockForged: 'pass' | 'refuse' | undefined;
  readonly parts: Parts;
};

const partNames = ['digests', 'recorder', 'navigation', 'actions', 'reports', 'serverTime'] as const;
const optionNames: readonly string[] = [...partNames, 'mount', 'app', 'data', 'to', 'strictActions', 'blockForged'];

export const usualMount = '/_flight';

/** What Waku and its files already have. Reserved in any case of letters. */
const takenMount = /^\/(?:rsc|assets|@|node_modules|src)(?:\/|$)/i;

function fail(text: string): never {
  throw new Error(`flightRecorder(): ${text}`);
}

function readFlag(options: Record<string, unknown>, name: string, unset: boolean): boolean {
  const given = options[name] ?? unset;
  return typeof given === 'boolean' ? given : fail(`${name} is ${show(given)}; use true or false`);
}

function readLarger(given: unknown): ReadOptions['blockForged'] {
  if (given === undefined || given === 'pass' || given === 'refuse') return given;
  return fail(`blockForged is ${show(given)}; use "pass" or "refuse", or leave it out`);
}

function readText(options: Record<string, unknown>, name: string): string | undefined {
  const given = options[name];
  if (given === undefined || (typeof given === 'string' && given !== '')) return given;
  return fail(`${name} is ${show(given)}; use a text that is not empty`);
}

function show(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number'
    ? toPlainJson(value)
    : `a value of type ${typeof value}`;
}

function readMount(given: unknown): string | false {
  if (given === undefined) return usualMount;
  if (given === false) return false;
  if (typeof given !== 'string') return fail(`mount is ${show(given)}; use a path such as "/_flight", or false`);
  try {
    checkMountPath(given);
  } catch (error) {
    return fail(describeError(error));
  }
  return takenMount.test(given) ? fail(`mount is ${show(given)}, which is Waku's; use another path`) : given;
}

function readApp(given: string | undefined): string | undefined {
  if (given === undefined || isAppId(given)) return given;
  return fail(`app is ${show(given)}; use up to 40 lower-case letters, digits and single hyphens`);
}

function readTo(given: string | undefined): string | undefined {
  // It holds a key: it is not shown.
  if (given === undefined || parseRecorderUrl(given)) return given;
  return fail('to is not of the form https://<key>@<host>/<app>');
}

/** What each option says is right by itself here. */
function checkPairs({ app, to, strictActions, parts }: ReadOptions): void {
  const recorded = to === undefined ? undefined : parseRecorderUrl(to)?.app;
  if (app !== undefined && recorded !== undefined && app !== recorded) {
    fail(`app is ${show(app)}, and to names ${show(recorded)}; leave out app, or use the one that to names`);
  }
  if (strictActions && !parts.actions) {
    fail(
      "strictActions is true, and actions is false: browsers then post actions to Waku's own address, which strictActions refuses; " +
        'leave out one of the two',
    );
  }
}

/** @throws with one line that names the option */
export function readOptions(given: unknown): ReadOptions {
  const options = given ?? {};
  if (!isRecord(options)) return fail('its options are not an object');
  const unknown = Object.keys(options).find((name) => !optionNames.includes(name));
  if (unknown !== undefined) fail(`there is no option ${show(unknown)}; there are ${optionNames.join(', ')}`);
  const read: ReadOptions = {
    mount: readMount(options['mount']),
    app: readApp(readText(options, 'app')),
    data: readText(options, 'data'),
    to: readTo(readText(options, 'to')),
    strictActions: readFlag(options, 'strictActions', false),
    blockForged: readLarger(options['blockForged']),
    parts: {
      digests: readFlag(options, 'digests', true),
      recorder: readFlag(options, 'recorder', true),
      navigation: readFlag(options, 'navigation', true),
      actions: readFlag(options, 'actions', true),
      reports: readFlag(options, 'reports', true),
      serverTime: readFlag(options, 'serverTime', false),
    },
  };
  checkPairs(read);
  return read;
}
