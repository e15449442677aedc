import 'server-only';

/** An answer with a status of 500 or more that a proxy saw. */
export type SeenAnswer = {
  readonly app: string;
  readonly method: string;
  readonly path: string;
  readonly route: string;
  readonly kind: 'document' | 'navigation' | 'prefetch' | 'navigation-or-prefetch' | 'action' | 'slice' | 'other';
  readonly status: number;
  readonly requestId: string;
  readonly traceId: string;
  readonly framework: string;
  readonly digests: readonly string[];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
};

/** What an app told of an error that may be the cause of an answer. */
export type KnownCause = {
  readonly digest: string | null;
  readonly trace_id: string;
  readonly request_id: string;
  readonly path: string;
  /** Of one that was found in an app's output: the pattern of its route handler, where it says one. */
  readonly route: string;
  /** Milliseconds since 1970. */
  readonly time: number;
};

/** An error is thrown, and then the answer ends. The clocks are those of one machine, or of two that follow the same time. */
export const nearMs = 5_000;
/** An error that says no place was found in the output of an app on this machine: it is read when the pipe and a busy thread let it. */
export const readLateMs = 1_500;
/** What an error becomes that nobody caught. Whoever answers another status has caught it. */
export const uncaughtStatus = 500;

/** What Next.js says where an answer broke whose status was sent: it explains no other. */
export const brokenPipe = 'failed to pipe response';

/** A page with a digest has a payload, which names its route; of another answer that is the path, mostly. */
export function isPatternOfAnswer({ digest }: { readonly digest?: string | null | undefined }): boolean {
  return typeof digest === 'string';
}

/** Looked up, not compared with each: a flood has 500 answers and 5,000 causes. */
function indexNames(answers: readonly SeenAnswer[]): (cause: KnownCause) => readonly SeenAnswer[] {
  const byName = new Map<string, SeenAnswer[]>();
  for (const answer of answers) {
    const digests = answer.digests.map((digest) => `digest ${digest}`);
    for (const name of [...digests, `trace ${answer.traceId}`, `request ${answer.requestId}`]) {
      const known = byName.get(name);
      if (known) known.push(answer);
      else byName.set(name, [answer]);
    }
  }
  const find = (kind: string, id: string): readonly SeenAnswer[] =>
    id === '' ? [] : (byName.get(`${kind} ${id}`) ?? []);
  return ({ digest, trace_id, request_id }) => [
    ...find('digest', digest ?? ''),
    ...find('trace', trace_id),
    ...find('request', request_id),
  ];
}

/** An answer that did not fail and carried this digest. */
type Carrying = { readonly digest: string; readonly startedAt: number; readonly endedAt: number };

/** An answer that carried a digest and did not fail was broken by one of these causes. That cause explains nothing else. */
function leaveOutCarried(causes: readonly KnownCause[], carrying: readonly Carrying[]): readonly KnownCause[] {
  const byDigest = Map.groupBy(carrying, ({ digest }) => digest);
  return causes.filter(({ digest, time }) => {
    const carried = byDigest.get(digest ?? '') ?? [];
    const at = carried.findIndex((one) => time >= one.startedAt && time <= one.endedAt + readLateMs);
    if (at !== -1) carried.splice(at, 1);
    return at === -1;
  });
}

/** Whether the path ends as the pattern says. Before it may stand what the app has as its base path. */
function fitsRoute(route: string, path: string): boolean {
  const segments = route.split('/').slice(1);
  // With `trailingSlash` addresses end with one, and patterns do not.
  const own = path
    .replace(/(?<=[^/])\/$/, '')
    .split('/')
    .slice(1);
  const hasRest = segments.at(-1)?.includes('...') === true;
  const named = hasRest ? segments.slice(0, -1) : segments;
  const last = own.length - named.length;
  const begins = hasRest ? Array.from({ length: Math.max(0, last + 1) }, (_, at) => at) : [last];
  return begins.some((at) => at >= 0 && named.every((name, index) => name.startsWith('[') || name === own[at + index]));
}

type Place = Pick<SeenAnswer, 'path' | 'status' | 'digests' | 'startedAt' | 'endedAt'>;

/** Says whether the told cause is near the answer, by place and time, or by time alone. */
export function isNear(
  { digest, path, route, time }: Pick<KnownCause, 'digest' | 'path' | 'route' | 'time'>,
  answer: Place,
): boolean {
  if (digest !== null && answer.digests.length > 0) return false;
  if (path !== '') return path === answer.path && time >= answer.startedAt - nearMs && time <= answer.endedAt + nearMs;
  const mayBeItsOwn = answer.status === uncaughtStatus || (route !== '' && fitsRoute(route, answer.path));
  return mayBeItsOwn && time >= answer.startedAt && time <= answer.endedAt + readLateMs;
}

/** Orders causes: those that say a place choose first, because nobody knows where the others belong. */
function byPlace(a: KnownCause, b: KnownCause): number {
  const vagueness = ({ path, route }: KnownCause): number => (path !== '' ? 0 : route !== '' ? 1 : 2);
  return vagueness(a) - vagueness(b) || a.time - b.time;
}

function findNearest(cause: KnownCause, answers: Iterable<SeenAnswer>): SeenAnswer | undefined {
  // An app may rewrite addresses, so another path is less likely and not impossible.
  const isElsewhere = ({ path }: SeenAnswer): number => Number(cause.route !== '' && !fitsRoute(cause.route, path));
  const isCaught = ({ status }: SeenAnswer): number => Number(status !== uncaughtStatus);
  const distance = ({ endedAt }: SeenAnswer): number => Math.abs(cause.time - endedAt);
  return [...answers]
    .filter((answer) => isNear(cause, answer))
    .toSorted((a, b) => isElsewhere(a) - isElsewhere(b) || isCaught(a) - isCaught(b) || distance(a) - distance(b))[0];
}

/**
 * Those of `answers` of which nobody told a cause. An error that names no request explains one of those near it.
 * @param around others that failed then: what explains one of them, explains none of these
 * @param carrying what did not fail then: an error with its digest is its own
 */
export function findUnexplained(
  answers: readonly SeenAnswer[],
  told: readonly KnownCause[],
  around: readonly SeenAnswer[] = [],
  carrying: readonly Carrying[] = [],
): readonly SeenAnswer[] {
  const all = new Map([...around, ...answers].map((answer) => [answer.requestId, answer]));
  const untold = new Set(all.values());
  const findNamed = indexNames([...untold]);
  const nameless = told.filter((cause) => {
    const named = findNamed(cause);
    for (const answer of named) untold.delete(answer);
    return named.length === 0;
  });
  for (const cause of leaveOutCarried(nameless, carrying).toSorted(byPlace)) {
    if (untold.size === 0) break;
    const answer = findNearest(cause, untold);
    if (answer) untold.delete(answer);
  }
  return answers.filter((answer) => untold.has(answer));
}
