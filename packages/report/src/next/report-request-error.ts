import { mintEventId, type AppError } from '../sender/app-error.ts';
import { isControlFlow, readDigestText, toSentDigest } from '../sender/control-flow.ts';
import { describeThrown, readProperty } from '../sender/describe-thrown.ts';
import { describeProcess, mapCauses, mapStack } from '../sender/map-frames.ts';
import { openSender } from '../sender/open-sender.ts';
import { dropQueryValues, readFlightKind, readRequestId, readTraceId } from '../sender/request-facts.ts';
import { findBuild, readBasePath, readBuildId } from './read-build.ts';

/**
 * What Next.js says of an error it caught: https://nextjs.org/docs/app/api-reference/file-conventions/instrumentation
 * The arguments are Next's own, of a version that nobody here chose, so each is read as if it came from outside.
 */
function readText(value: unknown, key: string): string | undefined {
  const text = readProperty(value, key);
  return typeof text === 'string' ? text : undefined;
}

/** `renderSource` is `react-server-components`, `react-server-components-payload` or `server-rendering`. */
function readPhase(context: unknown, method: string | undefined): NonNullable<AppError['phase']> {
  const source = readText(context, 'renderSource');
  switch (readText(context, 'routeType')) {
    case 'render':
      // A form that is sent without JavaScript: its action failed, and nothing was rendered yet.
      if (source === undefined && method === 'POST') return 'action';
      return source === 'server-rendering' ? 'ssr' : 'rsc';
    case 'action':
      return 'action';
    case 'route':
      return 'route';
    case 'proxy':
    case 'middleware':
      return 'proxy';
    default:
      return 'unknown';
  }
}

function readKind(phase: AppError['phase'], headers: unknown): NonNullable<AppError['kind']> {
  if (phase === 'action') return 'action';
  return phase === 'rsc' || phase === 'ssr' ? readFlightKind(headers) : 'other';
}

let basePath: string | undefined;

/** Next leaves the base path out: the browser's address, the answer and the digest's look-up have it. */
function readPath(request: unknown): string {
  const path = dropQueryValues(readText(request, 'path') ?? '/');
  basePath ??= readBasePath(findOwnBuild());
  return basePath === '' || path === basePath || path.startsWith(`${basePath}/`) ? path : `${basePath}${path}`;
}

function readRequest(request: unknown): AppError['request'] {
  const headers = readProperty(request, 'headers');
  return {
    method: readText(request, 'method'),
    path: readPath(request),
    id: readRequestId(headers),
    traceId: readTraceId(headers),
  };
}

/** Next sets the folder of the app when it starts, and a standalone server changes to its own. */
function findRoot(): string {
  return process.cwd();
}

/** A bundler would look into an import of this module. Older Nodes have no such function. */
function listLoaded(): readonly string[] {
  const modules = process.getBuiltinModule?.('node:module');
  const cache: unknown = modules && Reflect.get(modules, '_cache');
  return typeof cache === 'object' && cache !== null ? Object.keys(cache) : [];
}

let built: string | undefined;

function findOwnBuild(): string {
  return (built ??= findBuild(findRoot(), listLoaded()));
}

let ownBuild: string | undefined;

/** As the payloads of Next say it: by this a fault finds the answers of its build. */
function readOwnBuild(): string | undefined {
  if (process.env.NODE_ENV !== 'production') return undefined;
  ownBuild ??= readBuildId(findOwnBuild(), performance.timeOrigin) ?? (process.env.NEXT_DEPLOYMENT_ID || undefined);
  return ownBuild;
}

/**
 * The request of which an error was told last, by its headers: Next.js gives the same object for all errors of a request. It tells an error
 * again for each part of a page that waits for the same promise, and prints it once.
 */
const toldOf = new WeakMap<object, object>();

function isToldAlready(error: unknown, request: unknown): boolean {
  const headers = readProperty(request, 'headers');
  if (typeof error !== 'object' || error === null || typeof headers !== 'object' || headers === null) return false;
  const isTold = toldOf.get(error) === headers;
  toldOf.set(error, headers);
  return isTold;
}

export function reportRequestError(error: unknown, request: unknown, context: unknown): void {
  try {
    const sender = openSender(process.env.FLIGHT_RECORDER);
    if (!sender || isControlFlow(error) || isToldAlready(error, request)) return;
    const described = describeThrown(error);
    const phase = readPhase(context, readText(request, 'method'));
    const facts = {
      id: mintEventId(),
      time: Date.now(),
      reporter: 'next',
      digest: toSentDigest(readDigestText(error)),
      framework: 'next',
      phase,
      kind: readKind(phase, readProperty(request, 'headers')),
      // Of such a form it is the name of the page's file.
      route:
        phase === 'action'
          ? readText(context, 'routePath')?.replace(/(?<=.)\/page$/, '')
          : readText(context, 'routePath'),
      request: readRequest(request),
      release: process.env.FLIGHT_RELEASE ?? readOwnBuild(),
      runtime: `Node ${process.versions.node}`,
      ...described,
    } satisfies AppError;
    void sender.send(
      () => ({
        ...facts,
        frames: mapStack(described.stack, described.message, describeProcess(findRoot())),
        causes: mapCauses(described.causes, describeProcess(findRoot())),
      }),
      { digest: facts.digest, stack: described.stack },
    );
  } catch {
    // The app's own error matters more than its report.
  }
}
