import { createSecretFinder, decodeFlight, extractFlightFromHtml, type FoundSecret, type KnownSecret } from '#flight';

import type { FlightHead } from '../flight/flight-head.ts';
import type { Leak } from '../flight/leak.ts';
import type { ModuleFiles } from '../flight/module-files.ts';
import { createCacheFaults } from './find-cache-faults.ts';
import { remembered } from './flight-values.ts';
import { rememberIn } from './prepare.ts';

/**
 * What looking may take of the time: a page that leaks does so each time, so that on a busy server a part of the responses says as much
 * as all. The first content of a route is always looked at. The burst is that of a page with all that it loads.
 */
const shareOfTime = 0.01;
const burstMs = 200;
/** Of all apps that are recorded here. */
const buildsKnown = 20;

/**
 * Looks for what an app sends and should not: secrets, and answers that caches mix up. Content that was sent before is not looked at
 * again, and counts.
 */
export type LeakCounts = {
  /** @param name of the content, as `nameContent` gives it */
  readonly look: (head: FlightHead, payload: Uint8Array, name: string | undefined) => void;
  /** The files of a build's client modules: a component is called by its file where its export is called `default`. */
  readonly know: (app: string, build: string, files: ModuleFiles) => void;
  /** What was found since the last call, the same places together. */
  readonly take: () => Leak[];
};

function searchHtml(html: Uint8Array, find: (payload: Uint8Array) => FoundSecret[]): FoundSecret[] {
  return extractFlightFromHtml(html).flatMap(({ bytes }) => find(bytes));
}

function nameBuild(app: string, build: string): string {
  return JSON.stringify([app, build]);
}

/** Milliseconds that may be spent now. */
function createAllowance(now: () => number) {
  let left = burstMs;
  let at = now();
  return {
    isLeft(): boolean {
      const time = now();
      left = Math.min(burstMs, left + (time - at) * shareOfTime);
      at = time;
      return left > 0;
    },
    spend<T>(run: () => T): T {
      const begun = now();
      const result = run();
      left -= now() - begun;
      return result;
    },
  };
}

/** @param known secrets of the app's own environment */
export function createLeakCounts(known: readonly KnownSecret[], now = () => performance.now()): LeakCounts {
  const finder = createSecretFinder(known);
  const looked = new Map<string, readonly FoundSecret[]>();
  const routes = new Map<string, true>();
  const allowance = createAllowance(now);
  const findCacheFaults = createCacheFaults();
  const modules = new Map<string, ReadonlyMap<string, string>>();
  let pending = new Map<string, Leak>();

  function search({ content, app, build }: FlightHead, payload: Uint8Array): FoundSecret[] {
    if (!finder.mayHold(payload)) return [];
    const moduleFiles = modules.get(nameBuild(app, build)) ?? new Map<string, string>();
    const find = (bytes: Uint8Array) => finder.find(decodeFlight(bytes, { moduleFiles }));
    return content === 'html' ? searchHtml(payload, find) : find(payload);
  }

  /** Undefined where nobody knows it: only the first of many hits brings the file, and time is limited. */
  function lookAt(head: FlightHead, payload: Uint8Array, contentName: string): readonly FoundSecret[] | undefined {
    const before = looked.get(contentName);
    if (before || payload.length === 0) return before;
    const place = `${head.app} ${head.route}`;
    if (routes.has(place) && !allowance.isLeft()) return undefined;
    rememberIn(routes, place, true, remembered);
    const found = allowance.spend(() => search(head, payload));
    rememberIn(looked, contentName, found, remembered);
    return found;
  }

  function count(head: FlightHead, found: Iterable<Pick<Leak, 'rule' | 'name' | 'component' | 'path'>>): void {
    const { app, route, hits, requestId, startedAt } = head;
    const lastAt = head.lastAt ?? startedAt;
    const shapes = new Map(
      [...found].map((one) => [JSON.stringify([app, one.name, one.component, one.path, route]), one]),
    );
    for (const [key, { rule, name, component, path }] of shapes) {
      const before = pending.get(key);
      const firstAt = before?.firstAt ?? startedAt;
      const sum = (before?.count ?? 0) + hits;
      pending.set(key, { app, rule, name, component, path, route, count: sum, firstAt, lastAt, requestId });
    }
  }

  return {
    look(head, payload, contentName) {
      const secrets = contentName === undefined ? undefined : lookAt(head, payload, contentName);
      const faults = findCacheFaults(head).map(({ rule, title }) => ({ rule, name: title, component: '', path: '' }));
      count(head, [...(secrets ?? []), ...faults]);
    },
    know: (app, build, files) => rememberIn(modules, nameBuild(app, build), new Map(files), buildsKnown),
    take() {
      const taken = [...pending.values()];
      pending = new Map();
      return taken;
    },
  };
}
