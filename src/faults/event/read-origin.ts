import 'server-only';

import type { EventRow, Level } from '#src/store/schema.ts';

import { scrubRoute } from '../scrubbing/scrub.ts';
import { asRecord, asText, type JsonRecord } from '../receive/untrusted-json.ts';
import { readWord } from './event-values.ts';
import { readSdk } from './said-words.ts';

/** Who sent an event and where in an app it happened, as far as its SDK says it. */
export type Origin = {
  /** `next`, `node`, `django` */
  readonly framework: string;
  /** `node v24.21.0` */
  readonly runtime: string;
  readonly phase: EventRow['phase'];
  readonly kind: EventRow['kind'];
  readonly method: string;
  /** The route's pattern; empty when it is not known. */
  readonly route: string;
};

const wordLimit = 64;
const routeLimit = 2_048;

/** `sentry.python.django` → `django`; the last word of @sentry/nextjs is `nextjs`. */
function readFramework(sdk: string): string {
  // Somebody typed it: the app may be anything.
  if (sdk === 'sentry-cli') return '';
  const last =
    sdk
      .replace(/^sentry\./, '')
      .split('.')
      .at(-1) ?? '';
  return last === 'nextjs' ? 'next' : last;
}

/** `GET /todos/[id]`, as SDKs name a request; other transactions are named as their authors like. */
const requestName = /^([A-Z]{3,10})\s+(\/.*)$/;

function toPhase(routeType: unknown): EventRow['phase'] | undefined {
  switch (routeType) {
    case 'render':
      return 'rsc';
    case 'route':
      return 'route';
    case 'action':
      return 'action';
    case 'middleware':
    case 'proxy':
      return 'proxy';
    default:
      return undefined;
  }
}

/** What @sentry/nextjs hands on of `onRequestError`'s second and third argument. */
function readNext(event: JsonRecord): Pick<Origin, 'phase' | 'kind' | 'route'> | undefined {
  const next = asRecord(asRecord(event['contexts'])?.['nextjs']);
  const phase = toPhase(next?.['route_type']);
  if (phase === undefined) return undefined;
  const route = scrubRoute(asText(next?.['router_path'], routeLimit) ?? '');
  return { phase, route, kind: phase === 'action' ? 'action' : 'unknown' };
}

function readPhase(mechanism: string): Pick<Origin, 'phase' | 'kind'> {
  if (/onuncaughtexception|onunhandledrejection|excepthook/i.test(mechanism)) {
    return { phase: 'process', kind: 'background' };
  }
  const isHandler = /(?:express|fastify|koa|hapi|hono|connect|nest|django|flask|wsgi|asgi|middleware)/i.test(mechanism);
  return { phase: isHandler ? 'route' : 'unknown', kind: 'unknown' };
}

function readRuntime(event: JsonRecord): string {
  const runtime = asRecord(asRecord(event['contexts'])?.['runtime']);
  const words = [runtime?.['name'], runtime?.['version']].map((word) => readWord(word, wordLimit / 2));
  return words.filter((word) => word !== undefined).join(' ');
}

export function readOrigin(event: JsonRecord, header: JsonRecord, mechanism: string): Origin {
  const transaction = asText(event['transaction'] ?? event['culprit'], routeLimit) ?? '';
  // Its SDK knew no route: it is the request's address, with its values.
  const isAddress = asRecord(event['transaction_info'])?.['source'] === 'url';
  const [, method = '', named] = requestName.exec(transaction) ?? [];
  const given = asText(asRecord(event['request'])?.['method'], 16)?.toUpperCase() ?? '';
  return {
    framework: readFramework(readSdk({ event, header }).name),
    runtime: readRuntime(event),
    method: /^[A-Z]{1,10}$/.test(given) ? given : method,
    route: isAddress ? '' : scrubRoute(named ?? transaction),
    ...readPhase(mechanism),
    ...readNext(event),
  };
}

/** An event that says nothing of it is an error, as in Sentry. */
export function readLevel(value: unknown): Level {
  switch (typeof value === 'string' ? value.toLowerCase() : undefined) {
    case 'debug':
    case 'trace':
      return 'debug';
    case 'info':
    case 'log':
    case 'notice':
      return 'info';
    case 'warning':
    case 'warn':
      return 'warning';
    case 'fatal':
    case 'critical':
      return 'fatal';
    default:
      return 'error';
  }
}
