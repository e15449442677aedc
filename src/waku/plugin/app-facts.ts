import path from 'node:path';

import type { ResolvedConfig } from 'vite';

import { nameApp } from '#src/apps/name-app.ts';

import { findAdapter } from './find-adapter.ts';
import { usualMount, type Parts, type ReadOptions } from './options.ts';
import { nameWaku } from './tried-versions.ts';

/** What the plugin knows of the app as soon as Vite has read its configuration. */
export type AppFacts = {
  /** The project's folder. */
  readonly root: string;
  /** Where Waku builds into, whole: its `distDir`. */
  readonly dist: string;
  /** `/`, or `/shop/`. */
  readonly basePath: string;
  /** `RSC`, or what the app has in its place, such as `api/rsc`. */
  readonly rscBase: string;
  /** Whole, with the app's `basePath`. Undefined where there is no interface in the app. */
  readonly mountPath: string | undefined;
  /** Where browsers post their reports below: also where no interface is. */
  readonly reportsMount: string;
  /** Its id in the recording. */
  readonly app: string;
  /** The one of Waku's adapters that its server is built with: `node`. */
  readonly adapter: string;
  /** With what of Flight Recorder it is built: what was asked for, or what there can be with its adapter. */
  readonly parts: Parts & Pick<ReadOptions, 'strictActions' | 'blockForged'>;
};

/** Waku builds each environment into a folder of its `distDir`: the server into `server`. */
function findDist(config: ResolvedConfig): string {
  const server = config.environments['rsc']?.build.outDir;
  if (server === undefined) {
    throw new Error('flightRecorder() is a plugin for Waku: there is no environment "rsc" in this Vite configuration');
  }
  return path.resolve(config.root, path.dirname(server));
}

const rscBaseConstant = 'import.meta.env.WAKU_CONFIG_RSC_BASE';

/** Finds Waku's `rscBase`: of Waku's configuration Vite's has only what Waku's own modules are compiled with. */
function findRscBase({ define, root }: ResolvedConfig): string {
  const written: unknown = define?.[rscBaseConstant];
  const found: unknown = typeof written === 'string' ? JSON.parse(written) : undefined;
  if (typeof found === 'string') return found;
  throw new Error(
    `flightRecorder(): ${nameWaku(root)} defines no ${rscBaseConstant}, which says where its payloads are (app-facts.ts)`,
  );
}

/** Refuses a mount path and an `rscBase` below each other: they would take each other's requests. */
function checkMount(mount: string | false, rscBase: string): void {
  if (mount === false) return;
  const [first, second] = [`${mount}/`.toLowerCase(), `/${rscBase}/`.toLowerCase()];
  if (!first.startsWith(second) && !second.startsWith(first)) return;
  throw new Error(`flightRecorder(): mount is ${mount}, and rscBase of waku.config.ts is ${rscBase}; use other paths`);
}

/** Without our adapter there is nobody on the server who answers what the browser's parts send. `<Link>` needs nobody. */
function chooseParts({ parts, strictActions, blockForged }: ReadOptions, adapter: string): AppFacts['parts'] {
  if (adapter === 'node') return { ...parts, strictActions, blockForged };
  const { navigation } = parts;
  const none = { digests: false, recorder: false, actions: false, reports: false, serverTime: false };
  return { ...none, navigation, strictActions: false, blockForged: undefined };
}

export async function readAppFacts(config: ResolvedConfig, options: ReadOptions): Promise<AppFacts> {
  const { root, base } = config;
  const adapter = await findAdapter(config);
  const rscBase = findRscBase(config);
  checkMount(options.mount, rscBase);
  const withBase = (mount: string) => base.replace(/\/$/, '') + mount;
  return {
    root,
    dist: findDist(config),
    basePath: base,
    rscBase,
    mountPath: options.mount === false || adapter !== 'node' ? undefined : withBase(options.mount),
    reportsMount: withBase(options.mount || usualMount),
    app: options.app ?? nameApp(root),
    adapter,
    parts: chooseParts(options, adapter),
  };
}
