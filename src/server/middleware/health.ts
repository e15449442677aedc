import 'server-only';

import type { Context, MiddlewareHandler } from 'hono';

import { healthPath, readyPath } from '#src/server/http/addresses.ts';
import { isServerEnding } from '#src/server/http/draining.ts';
import { errorCodes } from '#src/server/http/error-codes.ts';
import { refuse, renderError } from '#src/server/http/refuse.ts';
import { onListening } from '#src/server/http/server-settings.ts';

/**
 * Two questions that a supervisor must not confuse. `/healthz`: does the process answer? If not, a restart helps.
 * `/readyz`: should it get requests now? If not, a restart does not help: the disk is full, or it is about to end. Anyone
 * may ask both, so the answers name a reason by one word and hold neither a version nor details.
 */

/** True when all is well. A check that throws, or takes longer than the deadline, has failed. */
export type Check = () => boolean | Promise<boolean>;

export type HealthOptions = {
  /** By the word that `/readyz` gives as a reason. */
  readonly checks: Readonly<Record<string, Check>>;
  /** By the word that `/readyz` gives as a note: something is wrong, and this server should get requests all the same. */
  readonly notes?: Readonly<Record<string, () => boolean>>;
};

/** A check may write to the disk, so its answer is kept for so long, however often it is asked for. */
const answerKeptMs = 1_000;
/** Below what probes wait by default (Kubernetes 1 s), so that they get the reason and not a timeout of their own. */
const checkDeadlineMs = 800;
/**
 * One that is late counts as it did before for so long: while another worker starts, both cores are busy and a write waits for its turn.
 * A disk that hangs is found out all the same.
 */
const lateBelievedMs = 5_000;

type Passing = () => Promise<boolean>;

function createPassing(check: Check): Passing {
  let passedAt = Number.NEGATIVE_INFINITY;
  // The store was opened just before, and written.
  onListening(() => (passedAt = performance.now()));

  async function run(): Promise<boolean> {
    try {
      const passed = await check();
      passedAt = passed ? performance.now() : Number.NEGATIVE_INFINITY;
      return passed;
    } catch {
      // That it threw is the answer. The check's owner logs the reason.
      passedAt = Number.NEGATIVE_INFINITY;
      return false;
    }
  }

  return async function passes() {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(performance.now() - passedAt <= lateBelievedMs), checkDeadlineMs);
    });
    try {
      return await Promise.race([run(), late]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** No line in the log: a probe asks every second, and each reason has a line of its own when it begins. */
function answerNotReady(reasons: readonly string[]): Response {
  const { status, message } = errorCodes['not-ready'];
  const { headers, body } = renderError('not-ready', message, { reasons });
  return new Response(body, { status, headers });
}

/** Why it should get no requests now; empty when it should. */
function createReadiness(checks: HealthOptions['checks']): () => Promise<readonly string[]> {
  const entries = Object.entries(checks).map(([name, check]) => ({ name, passes: createPassing(check) }));
  let known: { readonly at: number; readonly failed: Promise<readonly string[]> } | undefined;

  async function findFailed(): Promise<readonly string[]> {
    const results = await Promise.all(entries.map(async ({ name, passes }) => ({ name, passed: await passes() })));
    return results.flatMap(({ name, passed }) => (passed ? [] : name));
  }

  return async function readReasons() {
    if (known === undefined || performance.now() - known.at > answerKeptMs) {
      known = { at: performance.now(), failed: findFailed() };
    }
    const failed = await known.failed;
    // Not kept like the others: it counts at once.
    return isServerEnding() ? ['draining', ...failed] : failed;
  };
}

export function health({ checks, notes = {} }: HealthOptions): MiddlewareHandler {
  const readReasons = createReadiness(checks);

  function describeReady(): object {
    const found = Object.keys(notes).filter((word) => notes[word]?.());
    return { status: 'ready', ...(found.length > 0 ? { notes: found } : {}) };
  }

  async function answer(c: Context): Promise<Response> {
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') {
      return refuse('wrong-method', 'json', `${c.req.method} of health`, { allow: 'GET, HEAD' });
    }
    c.header('cache-control', 'private, no-store');
    if (c.req.path === healthPath) return c.json({ status: 'ok' });
    const reasons = await readReasons();
    return reasons.length === 0 ? c.json(describeReady()) : answerNotReady(reasons);
  }

  return function healthMiddleware(c, next) {
    const isHealth = c.req.path === healthPath || c.req.path === readyPath;
    return isHealth ? answer(c) : next();
  };
}
