import type { Frame, ErrorAnswer, LookedUp } from '#src/api/schemas/errors.ts';
import { escapeText } from '#boundary';

/**
 * An error as lines of text, for a terminal and for a coding agent: what the page of the error tells first. All texts come from
 * outside: each line is escaped, so that none of them steers a terminal, and bounded.
 */
export type Line = { readonly label: string; readonly text: string; readonly tone: 'strong' | 'plain' | 'quiet' };

/** Beyond that, the page has the rest. */
const longestLine = 300;
const linesOfMessage = 12;
const linesOfSource = 2;
const causesShown = 3;

function cut(text: string, longest: number = longestLine): string {
  const plain = escapeText(text.length > longest ? text.slice(0, longest) : text);
  return text.length > longest ? `${plain}…` : plain;
}

function line(label: string, text: string, tone: Line['tone'] = 'plain'): Line[] {
  return text === '' ? [] : [{ label, text: cut(text), tone }];
}

/** A message may have lines of its own. */
function describeMessage(label: string, name: string, message: string): Line[] {
  const [first = '', ...rest] = message.split(/\r?\n/);
  const more = rest.slice(0, linesOfMessage - 1);
  const left = rest.length - more.length;
  return [
    ...line(label, first === '' ? name : `${name}: ${first}`, 'strong'),
    ...more.map((text) => ({ label: '', text: cut(text), tone: 'plain' as const })),
    ...(left > 0 ? line('', `… and ${left} more lines`, 'quiet') : []),
  ];
}

function describeFrame({ function: fn, source, file, line: number, column, context }: Frame): Line[] {
  const place = `${source ?? file}:${number}:${column}${fn === '' ? '' : ` in ${fn}`}`;
  if (!context) return line('at', place);
  const first = Math.max(0, number - context.firstLine - linesOfSource);
  const shown = context.lines.slice(first, number - context.firstLine + linesOfSource + 1);
  const width = String(context.firstLine + context.lines.length).length;
  return [
    ...line('at', place),
    ...shown.map((text, index): Line => {
      const own = context.firstLine + first + index;
      const mark = own === number ? '>' : ' ';
      const tone = own === number ? 'strong' : 'quiet';
      return { label: '', text: `${mark} ${String(own).padStart(width)} | ${cut(text)}`, tone };
    }),
  ];
}

function describeTime(time: string): string {
  return time.replace('T', ' ').replace(/\.\d+Z$/, ' UTC');
}

function describeAge(time: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1000));
  const [count, unit] =
    seconds < 90
      ? [seconds, 'second']
      : seconds < 5_400
        ? [Math.round(seconds / 60), 'minute']
        : seconds < 129_600
          ? [Math.round(seconds / 3_600), 'hour']
          : [Math.round(seconds / 86_400), 'day'];
  return `${describeTime(time)} (${count} ${unit}${count === 1 ? '' : 's'} ago)`;
}

function countTimes(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function describeFault({ fault, withDigest, deletedWithDigest, names, otherFaults }: ErrorAnswer): Line[] {
  const isOne = names !== 'fault' || withDigest + deletedWithDigest < 2;
  const deleted = deletedWithDigest > 0 ? `, ${deletedWithDigest} deleted` : '';
  const of = otherFaults.length === 0 ? '' : `, of ${otherFaults.length + 1} faults`;
  const kept = isOne ? '' : `, ${withDigest} kept under this digest${deleted}${of}`;
  if (!fault) return line('fault', `not known yet${kept}`);
  const users = fault.users > 0 ? `, ${fault.users} user${fault.users === 1 ? '' : 's'}` : '';
  const since = `first received ${fault.firstTime.slice(0, 10)}`;
  return line('fault', `${fault.id}, ${fault.state}: ${countTimes(fault.errors)}, ${since}${users}${kept}`);
}

function describeServer(error: NonNullable<ErrorAnswer['server']>, now: number): Line[] {
  const { name, message, telling, causes, time, method, route, path, phase, kind, release, framework } = error;
  const words = [phase, kind].filter((word) => word !== '' && word !== 'unknown').join(', ');
  const own = route === '' || route === path ? path : `${path} (route ${route})`;
  return [
    ...describeMessage('error', name, message),
    ...(telling ? describeFrame(telling) : []),
    ...causes.slice(0, causesShown).flatMap((cause) => {
      const frame = cause.frames.find(({ inApp }) => inApp);
      return [...describeMessage('cause', cause.name, cause.message), ...(frame ? describeFrame(frame) : [])];
    }),
    ...line('when', describeAge(time, now)),
    ...line('request', `${method} ${own}${words === '' ? '' : ` [${words}]`}`.trim()),
    ...line('release', release),
    ...line('framework', framework),
  ];
}

function describeMaybe({ maybe }: ErrorAnswer): Line[] {
  if (maybe.length === 0) return [];
  const errors = maybe.length === 1 ? 'error of a browser has' : 'errors of browsers have';
  return line('maybe', `${maybe.length} ${errors} the same digest and may be another visitor’s`);
}

type Choice = Extract<LookedUp, { type: 'error' }>['choice'];

const candidatesShown = 8;

/** A guess says that it is one, before everything else. */
function describeChoice(choice: Choice): Line[] {
  if (!choice) return [];
  const { type, count, isCut, isPathFound, isPathKnown, isPastNear, candidates } = choice;
  const none = isPathKnown ? ' None near that time was on that page.' : ' On which page they were is not known.';
  const place = isPathFound ? '' : none;
  const past = isPastNear ? ' Others that may be of that time were deleted.' : '';
  const words = {
    only: 'The only one of that time and place.',
    'one-of':
      count === 1
        ? 'A guess: the only one that is kept and fits.'
        : `A guess: one of ${isCut ? 'at least ' : ''}${count} that fit.`,
    nearest: 'A guess: none that is kept fits. This is the nearest.',
  } as const;
  const others = type === 'only' ? [] : candidates.slice(1, candidatesShown);
  return [
    ...line('choice', `${words[type]}${place}${past}`, type === 'only' ? 'plain' : 'strong'),
    ...others.flatMap(({ id, time, path }) => line('or', `${id}, ${describeTime(time)}, ${path}`)),
    ...(type !== 'only' && count > others.length + 1
      ? line('', `… and ${count - others.length - 1} more`, 'quiet')
      : []),
  ];
}

type Past = Extract<LookedUp, { type: 'past' }>;

function describePast({ digest, app, faults, page }: Past, now: number): Line[] {
  return [
    ...line('digest', digest),
    ...line('app', app),
    ...line('stored', 'no: its row was deleted, for room or age. Its fault is known:', 'strong'),
    ...faults.flatMap(
      ({ id, state, name, message, deleted, firstTime, lastTime, route, release, errors, page: address }) => [
        ...describeMessage('error', name, message),
        ...line(
          'when',
          deleted === 1
            ? describeAge(lastTime, now)
            : `${deleted} times, ${describeTime(firstTime)} to ${describeTime(lastTime)}`,
        ),
        ...line('route', route),
        ...line('release', release),
        ...line('fault', `${id}, ${state}: ${countTimes(errors)} in all; ${address}`),
      ],
    ),
    ...line('page', page),
  ];
}

function describeUntrusted({ browser, server }: ErrorAnswer, now: number): Line[] {
  const [first] = browser;
  if (!first) return [];
  const count = `${browser.length} error${browser.length === 1 ? '' : 's'} of browsers (untrusted)`;
  if (server) return line('browsers', count);
  return [
    ...line(
      'warning',
      'No server told this. Anybody can post such a report, and may have made up each word of it.',
      'strong',
    ),
    ...describeMessage('untrusted', first.name, first.message),
    ...(first.telling ? describeFrame(first.telling) : []),
    ...line('when', describeAge(first.time, now)),
    ...line('request', first.path),
    ...line('browsers', count),
  ];
}

/** What is a guess of the flights that are shown. */
const flightGuesses: Record<NonNullable<ErrorAnswer['flightsFoundBy']>, string> = {
  request: '',
  trace: '',
  time: 'found by the digest and the time; another visitor’s answers may have had both',
  digest: 'found by the digest alone, at another time, perhaps for another visitor',
};

export function describeDetails(details: ErrorAnswer, now: number): Line[] {
  const { digest, app, server, flights, flightsFoundBy, feedback, page } = details;
  return [
    ...line('digest', digest ?? 'none'),
    ...line('app', app),
    ...(server ? describeServer(server, now) : []),
    ...describeUntrusted(details, now),
    ...describeMaybe(details),
    ...describeFault(details),
    ...flights.flatMap(({ id, method, path, status, durationMs }) =>
      line('flight', `${id}: ${method} ${path}, status ${status}, ${Math.round(durationMs)} ms`),
    ),
    ...line('guess', flightsFoundBy === null ? '' : flightGuesses[flightsFoundBy]),
    ...details.printedToo.flatMap(({ name, message, page: other }) => [
      ...line('printed too', `${name}: ${message}`, 'strong'),
      ...line('', `with the same digest; a visitor may have written it: ${other}`),
    ]),
    ...details.otherFaults.flatMap(({ name, message, cause, page: other }) => [
      ...line('other fault', `${name}: ${message}${cause === '' ? '' : `, caused by ${cause}`}`, 'strong'),
      ...line('', `with the same digest: ${other}`),
    ]),
    ...line('visitors', feedback.length === 0 ? '' : `${feedback.length} wrote something`),
    ...line('page', page),
  ];
}

function describeOtherApps({ otherApps }: Pick<Past, 'otherApps'>): Line[] {
  return otherApps.flatMap(({ app, digest }) => line('also in', `${app}, as ${digest} (--app ${app})`));
}

/** What is known of a code. */
export function describeLookedUp(found: LookedUp, now: number): Line[] {
  switch (found.type) {
    case 'error':
      return [...describeChoice(found.choice), ...describeDetails(found.details, now), ...describeOtherApps(found)];
    case 'past':
      return [...describePast(found, now), ...describeOtherApps(found)];
    case 'several-apps':
      return [
        ...line('digest', found.code),
        ...line('which', `${found.apps.length} apps told an error under it. Say which one:`, 'strong'),
        ...found.apps.flatMap(({ app, lastTime }) => line('app', `--app ${app}, last ${describeAge(lastTime, now)}`)),
        ...line('page', found.page),
      ];
    case 'log-only':
      return [
        ...line('digest', found.code),
        ...line('stored', `no: ${found.reason}. The server’s log has the error.`, 'strong'),
        ...line('when', describeAge(found.time, now)),
        ...line('page', found.page),
      ];
    case 'flights-only':
      return [
        ...line('digest', found.code),
        ...line('error', 'nobody reported it; these flights carried it', 'strong'),
        ...found.flights.flatMap(({ id, app, method, path, status }) =>
          line('flight', `${id}: ${method} ${path}, status ${status}, of ${app}`),
        ),
        ...line('page', found.page),
      ];
  }
}
