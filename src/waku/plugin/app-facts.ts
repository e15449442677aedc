import path from 'node:path';

import type { ResolvedConfig } from 'vite';

import { chooseAppId } from '#src/command/recorded-app.ts';

import { findAdapter } from './find-adapter.ts';
import { usualMount, type Parts, type ReadOptions } from './options.ts';

/** What the plugin knows of the app as soon as Vite has read its configuration. */
export type AppFacts = {
  /** The project's folder. */
  readonly root: string;
  /** Where Waku builds into, whole: its `distDir`. */
  readonly dist: string;
  /** `/`, or `/shop/`. */
  readonly basePath: string;
  /** Whole, with the app's `basePath`. Undefined where there is no interface in the app. */
  readonly mountPath: string | undefined;
  /** Where browsers post their reports below: also where no interface is. */
  readonly reportsMount: string;
  /** Its id in the recording. */
  readonly app: string;
  /** The one of Waku's adapters that its server is built with: `node`. */
  readonly adapter: string;
  /** With what of Flight Recorder it is built: what was asked for, or what there can be with its adapter. */
  readonly parts: Parts & { readonly strictActions: boolean };
};

/** Waku builds each environment into a folder of its `distDir`: the server into `server`. */
function findDist(config: ResolvedConfig): string {
  const server = config.environments['rsc']?.build.outDir;
  if (server === undefined) {
    throw new Error('flightRecorder() is a plugin for Waku: there is no environment "rsc" in this Vite configuration');
  }
  return path.resolve(config.root, path.dirname(server));
}

/** Without our adapter there is nobody on the server who answers what the browser's parts send. `<Link>` needs nobody. */
function chooseParts({ parts, strictActions }: ReadOptions, adapter: string): AppFacts['parts'] {
  if (adapter === 'node') return { ...parts, strictActions };
  const { navigation } = parts;
  return { digests: false, recorder: false, navigation, actions: false, reports: false, strictActions: false };
}

export async function readAppFacts(config: ResolvedConfig, options: ReadOptions): Promise<AppFacts> {
  const { root, base } = config;
  const adapter = await findAdapter(config);
  const withBase = (mount: string) => base.replace(/\/$/, '') + mount;
  return {
    root,
    dist: findDist(config),
    basePath: base,
    mountPath: options.mount === false || adapter !== 'node' ? undefined : withBase(options.mount),
    reportsMount: withBase(options.mount || usualMount),
    app: chooseAppId(options.app, root),
    adapter,
    parts: chooseParts(options, adapter),
  };
}
