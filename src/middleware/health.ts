import 'server-only';

import type { Context, MiddlewareHandler } from 'hono';

import { healthPath, readyPath } from '#src/http/addresses.ts';
import { refuse } from '#src/http/refuse.ts';
import { isDraining } from '#src/http/draining.ts';

/**
 * Two questions, which a supervisor must not confuse. `/healthz`: does the process answer? If not, a restart helps.
 * `/readyz`: should it get requests now? If not, a restart would make it worse: the disk is full, or it is about to end.
 * Anyone may ask both, so they say one word and neither a version nor a reason's details.
 */

/** True when it is well. A check that throws, or takes longer than the deadline, is one that is not. */
export type Check = () => boolean | Promise<boolean>;

export type HealthOptions = {
  /** By the word that `/readyz` gives as a reason. */
  readonly checks: Readonly<Record<string, Check>>;
};

type Readiness = { readonly status: 'ready' } | { readonly status: 'not-ready'; readonly reasons: readonly string[] };

/** A check may write to the disk: whoever asks in a loop gets the same answer for so long. */
const answerKeptMs = 1_000;
/** Below what probes wait by default (Kubernetes 1 s), so that they get the reason and not a timeout of their own. */
const checkDeadlineMs = 800;

async function passes(check: Check): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), checkDeadlineMs);
  });
  try {
    return await Promise.race([check(), late]);
  } catch {
    // That it threw is the answer: what for is for whoever owns the check to log.
    return false;
  } finally {
    clearTimeout(timer);
  }
}

function createReadiness(checks: HealthOptions['checks']): () => Promise<Readiness> {
  const entries = Object.entries(checks);
  let known: { readonly at: number; readonly failed: Promise<readonly string[]> } | undefined;

  async function findFailed(): Promise<readonly string[]> {
    const results = await Promise.all(entries.map(async ([name, check]) => ({ name, passed: await passes(check) })));
    return results.flatMap(({ name, passed }) => (passed ? [] : name));
  }

  return async function readReadiness() {
    if (known === undefined || performance.now() - known.at > answerKeptMs) {
      known = { at: performance.now(), failed: findFailed() };
    }
    const failed = await known.failed;
    // Not kept: it counts at once.
    const reasons = isDraining() ? ['draining', ...failed] : failed;
    return reasons.length === 0 ? { status: 'ready' } : { status: 'not-ready', reasons };
  };
}

export function health({ checks }: HealthOptions): MiddlewareHandler {
  const readReadiness = createReadiness(checks);

  async function answer(c: Context): Promise<Response> {
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') {
      return refuse('wrong-method', 'json', `${c.req.method} of health`, { allow: 'GET, HEAD' });
    }
    c.header('cache-control', 'private, no-store');
    if (c.req.path === healthPath) return c.json({ status: 'ok' });
    const readiness = await readReadiness();
    return c.json(readiness, readiness.status === 'ready' ? 200 : 503);
  }

  return function healthMiddleware(c, next) {
    const isHealth = c.req.path === healthPath || c.req.path === readyPath;
    return isHealth ? answer(c) : next();
  };
}
