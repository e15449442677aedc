import path from 'node:path';

import type { AppFacts } from './app-facts.ts';

/**
 * What inside-modules.ts puts ours in place of is found by names: those of files of Waku's, and of what an app imports. A hook that
 * found nothing would leave out all that depends on it, without a word. So the build says which was not met.
 */
export type MetHooks = {
  /** The app's server imports an adapter, and gets ours around it. */
  hasAdapter: boolean;
  /** The file of an adapter that the server imports and that is not Waku's for Node. */
  otherAdapter: string | undefined;
  /** The browser's entry imports `react-dom/client`, and gets ours. */
  hasBrowserEntry: boolean;
  /** Who else imports it: a package, which keeps React's. */
  otherRoot: string | undefined;
};

export function noHooks(): MetHooks {
  return { hasAdapter: false, otherAdapter: undefined, hasBrowserEntry: false, otherRoot: undefined };
}

/** The app's own entry for browsers, in whatever folder its `srcDir` is. */
const browserEntry = /(?:^|[/\\])waku\.client\.(?:js|ts|tsx|jsx|mjs|cjs)$/;

function nameFile(root: string, id: string): string {
  return path.relative(root, id.split('?')[0] ?? id);
}

/** Of `<Link>` nobody on the server is asked, and what the recorder is told goes with it. */
const notAsked = new Set(['navigation', 'serverTime']);

/** The options that ask for something on the server. */
function listAsked({ parts, mountPath }: AppFacts): string {
  const names = Object.entries(parts).flatMap(([name, isOn]) => (isOn && !notAsked.has(name) ? [name] : []));
  return [...names, ...(mountPath === undefined ? [] : ['mount'])].join(', ');
}

/** @param waku its name with its version @returns undefined where the hook was met */
export function describeUnmetAdapter(met: MetHooks, facts: AppFacts, waku: string): string | undefined {
  if (met.hasAdapter) return undefined;
  const found =
    met.otherAdapter === undefined
      ? 'it imports no adapter of Waku'
      : `its adapter is ${nameFile(facts.root, met.otherAdapter)}`;
  return (
    `flightRecorder(): Flight Recorder is not in this app's server: ${found}. Nobody would answer what browsers send, actions ` +
    'among it. In waku.server, which stands in a folder beside package.json, import an adapter from waku/adapters/… itself; or ' +
    `set these options of flightRecorder() to false: ${listAsked(facts)}. If there is no waku.server, then ${waku} has moved ` +
    'waku/dist/adapters/node.js or its plugin adapter-alias (find-adapter.ts, inside-modules.ts).'
  );
}

export type Unmet = { readonly kind: 'failure' | 'warning'; readonly text: string };

/**
 * An entry of the app's own may have no root, or have it made by a package: that is the app's to know. Waku's always has one.
 * @param modules of the browser's build
 */
export function describeUnmetEntry(
  met: MetHooks,
  { root }: AppFacts,
  waku: string,
  modules: Iterable<string>,
): Unmet | undefined {
  if (met.hasBrowserEntry) return undefined;
  const own = [...modules]
    .map((id) => nameFile(root, id))
    .find((file) => browserEntry.test(file) && !/(?:^|[/\\])node_modules[/\\]/.test(file));
  if (own === undefined) {
    return {
      kind: 'failure',
      text:
        `flightRecorder(): Waku's entry for browsers does not import react-dom/client where it did: ${waku} has moved ` +
        'virtual:vite-rsc-waku/client-entry (inside-modules.ts). Browsers would report no errors.',
    };
  }
  if (met.otherRoot === undefined) return undefined;
  return {
    kind: 'warning',
    text:
      `flightRecorder(): ${nameFile(root, met.otherRoot)} imports react-dom/client, and ${own} does not: errors of a root that is ` +
      'made there are not reported. Import it in a file of the app.',
  };
}
