import path from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Plugin } from 'vite';

/**
 * Three things of the renderer can only be changed by redirecting imports:
 *
 * 1. Waku offers no option for React's `onError`, and without one every digest is empty. Its request handler makes its
 *    two render functions through one import, which gets ours, in dev, in the build and in the static build alike.
 * 2. Waku and plugin-rsc name React's edge builds, which encode every small piece of text on its own; the Node builds
 *    fill 4 kB buffers. All copies are swapped, because Flight throws when two of its copies meet in one process.
 * 3. Waku decodes the static parts of a page for every request.
 *
 * All depend on names that are internal to those packages. The build fails when one of them was not found, and when an edge
 * build was included in another way: a release that moved them would otherwise silently bring back the empty digests or
 * the slow builds.
 */
type Redirect = {
  readonly environments: readonly string[];
  readonly importer: RegExp;
  readonly source: RegExp;
  /** What is imported instead, given the original: a file of ours, or another entry of the same package. */
  readonly to: (source: string) => string;
  /** What goes wrong without it, for the build's error. */
  readonly without: string;
  /** Not in dev, where modules change under what was kept. */
  readonly isForBuild?: boolean;
};

const toNodeBuild = (source: string) => source.replace(/\.edge$/, '.node');
const slowWithout = "React's edge builds would be used, at half the speed";
const pluginRsc = /[/\\]@vitejs[/\\]plugin-rsc[/\\]dist[/\\]/;
// plugin-rsc rewrites its vendored copy to the installed package when there is one, before or after this plugin.
const reactServerDom = '^(?:@vitejs/plugin-rsc/vendor/react-server-dom|react-server-dom-webpack)';

const redirects: readonly Redirect[] = [
  {
    environments: ['rsc'],
    importer: /[/\\]waku[/\\]dist[/\\]lib[/\\]vite-rsc[/\\]handler\.js$/,
    source: /^\.\.\/utils\/render\.js$/,
    to: () => fileURLToPath(new URL('./render-utils.tsx', import.meta.url)),
    without: 'digests would be empty',
  },
  {
    environments: ['rsc'],
    importer: pluginRsc,
    source: new RegExp(`${reactServerDom}/server\\.edge$`),
    to: toNodeBuild,
    without: slowWithout,
  },
  {
    environments: ['rsc', 'ssr'],
    importer: pluginRsc,
    source: new RegExp(`${reactServerDom}/client\\.edge$`),
    to: toNodeBuild,
    without: slowWithout,
  },
  {
    environments: ['rsc'],
    importer: /[/\\]waku[/\\]dist[/\\]router[/\\]define-router-utils[/\\]element-cache\.js$/,
    source: /^\.\.\/\.\.\/server\.js$/,
    to: () => fileURLToPath(new URL('./static-elements.ts', import.meta.url)),
    without: 'static parts of pages would be decoded again for every request',
    isForBuild: true,
  },
  {
    environments: ['ssr'],
    importer: /[/\\]waku[/\\]dist[/\\]lib[/\\]vite-rsc[/\\]ssr\.js$/,
    source: /^react-dom\/server\.edge$/,
    to: toNodeBuild,
    without: slowWithout,
  },
];

const edgeBuild = /[/\\](?:react-server-dom-webpack|react-server-dom|react-dom)[/\\](?:server|client)\.edge\.js$/;

/** Waku's bootstrap scripts, which its package's exports do not list. A missing file or name fails the build. */
const bootstrapId = 'virtual:flight-recorder/waku-ssr';

/** React's Node builds under names whose types say what is used of them: react-node.d.ts. */
const reactNodeBuilds: Record<string, string> = {
  'virtual:flight-recorder/flight-server': '@vitejs/plugin-rsc/rsc/server.node',
  'virtual:flight-recorder/flight-client': '@vitejs/plugin-rsc/ssr.node',
  'virtual:flight-recorder/html-server': 'react-dom/server.node',
};

function withoutQuery(id: string): string {
  return id.split('?')[0] ?? id;
}

/** @param isUsed another app may be without it: then only the names that its modules import are known */
export function rendererHook(isUsed: () => boolean = () => true): Plugin {
  const met = new Map<string, Set<Redirect>>();
  return {
    name: 'flight-recorder:renderer-hook',
    enforce: 'pre',
    sharedDuringBuild: true,
    configEnvironment(name) {
      // Dev bundles dependencies ahead: what is found only when first imported makes it start over.
      if (name === 'rsc') {
        return {
          optimizeDeps: { include: ['react-server-dom-webpack/server.node', 'react-server-dom-webpack/client.node'] },
        };
      }
      if (name === 'ssr') {
        return { optimizeDeps: { include: ['react-dom/server.node', 'react-server-dom-webpack/client.node'] } };
      }
      return undefined;
    },
    buildStart() {
      met.set(this.environment.name, new Set());
    },
    async resolveId(source, importer, options) {
      if (source === bootstrapId) {
        const main = await this.resolve('waku', undefined, { skipSelf: true });
        if (!main) this.error('The package waku is not installed');
        return `${path.dirname(withoutQuery(main.id))}/lib/utils/ssr.js`;
      }
      const reactNodeBuild = reactNodeBuilds[source];
      if (reactNodeBuild) {
        // From Waku's folder: another app may not see plugin-rsc, which comes with Waku.
        const main = reactNodeBuild.startsWith('@')
          ? await this.resolve('waku', undefined, { skipSelf: true })
          : undefined;
        return this.resolve(reactNodeBuild, main?.id ?? importer, { ...options, skipSelf: true });
      }
      if (!importer || !isUsed()) return undefined;
      const environment = this.environment.name;
      const redirect = redirects.find(
        (candidate) =>
          candidate.environments.includes(environment) &&
          (!candidate.isForBuild || this.environment.mode === 'build') &&
          candidate.source.test(source) &&
          candidate.importer.test(withoutQuery(importer)),
      );
      if (!redirect) return undefined;
      met.get(environment)?.add(redirect);
      return this.resolve(redirect.to(source), importer, { ...options, skipSelf: true });
    },
    buildEnd(error) {
      const environment = this.environment.name;
      if (error || !isUsed() || this.environment.mode !== 'build') return;
      for (const redirect of redirects) {
        if (!redirect.environments.includes(environment) || met.get(environment)?.has(redirect)) continue;
        this.error(
          `renderer/vite.ts: nothing in ${environment} imported ${redirect.source} from ${redirect.importer}: ` +
            `${redirect.without}. Adjust the redirect to the installed versions.`,
        );
      }
      for (const id of this.getModuleIds()) {
        if (environment !== 'client' && edgeBuild.test(withoutQuery(id))) {
          this.error(`renderer/vite.ts: ${id} was built into ${environment}: ${slowWithout}.`);
        }
      }
    },
  };
}
