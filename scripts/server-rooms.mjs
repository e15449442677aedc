import path from 'node:path';

import { findRoom, rooms } from './rooms.mjs';

/**
 * Which code stays on the server, and what keeps it there.
 *
 * Modules of a room's `server` folders begin with `import 'server-only'`: plugin-rsc refuses them where the browser's code is
 * built. Node itself cannot load that import. So the `plain` folders, which also run without a bundler (in the recorder's thread, in
 * commands, in a proxy), do without it, and the plugin below refuses them by their folder. What of them the browser shares is named
 * in the room's rule as `browser`, and uses nothing of Node.
 *
 * The lint rule `house/server-only` keeps both.
 */

/** The browser's side of a room has these folders, and the server's; whatever else the room says. */
const kindOfFolder = { interface: undefined, actions: undefined, middleware: 'server' };

/** Client components are rendered on the server too, in the environment `ssr`. There they know their request. */
const ofRequests = ['src/server/http/', 'src/server/environment/'];

/** What other apps install runs in plain Node, too; all but what the browser shares with it. */
const reportsBrowser = new Set([
  'packages/report/src/digest.ts',
  'packages/report/src/sender/receiver-path.ts',
  'packages/report/src/sender/request-id-header.ts',
  'packages/report/src/stack.ts',
  'packages/report/src/strip-terminal-codes.ts',
]);

function longest(folders, file) {
  return Math.max(
    -1,
    ...folders.filter((folder) => folder === '.' || file.startsWith(`${folder}/`)).map((folder) => folder.length),
  );
}

/**
 * @param {string} file from the project's root
 * @returns {'server' | 'plain' | undefined}
 */
export function findKind(file) {
  if (file.startsWith('packages/report/src/browser/')) return undefined;
  if (file.startsWith('packages/report/src/')) return 'plain';
  const found = file.startsWith('src/') ? findRoom(file) : undefined;
  const room = found && rooms.get(found.room);
  if (!room) return undefined;
  const folder = found.file.split('/')[0] ?? '';
  const server = longest(room.server, found.file);
  const plain = longest(room.plain, found.file);
  // A folder that the rule names wins over what such folders are elsewhere.
  if (folder in kindOfFolder && Math.max(server, plain) <= 1) return kindOfFolder[folder];
  if (server < 0 && plain < 0) return undefined;
  return server > plain ? 'server' : 'plain';
}

/** Modules of plain folders that the browser shares. */
export const sharedWithBrowser = new Set([
  ...reportsBrowser,
  ...Array.from(rooms, ([name, { browser }]) => browser.map((file) => `src/${name}/${file}`)).flat(),
]);

/** @param {'client' | 'ssr'} environment */
function isRefusedIn(environment, file) {
  if (findKind(file) !== 'plain' || sharedWithBrowser.has(file)) return false;
  return environment === 'client' || !ofRequests.some((folder) => file.startsWith(folder));
}

/** Who imports `id`, the nearest first. */
function listImporters(context, id) {
  const { mode, moduleGraph } = context.environment;
  const chain = [];
  for (let at = id; at !== undefined && !chain.includes(at);) {
    chain.push(at);
    at =
      mode === 'dev'
        ? [...(moduleGraph.getModuleById(at)?.importers ?? [])].find((module) => module.id)?.id
        : context.getModuleInfo(at)?.importers[0];
  }
  return chain.slice(1);
}

/**
 * Refuses modules of the plain rooms in the code of the browser, and names who imports them. In a build that is known when all
 * modules are read, in development when one is asked for.
 *
 * @returns {import('vite').Plugin}
 */
export function guardServerRooms() {
  const root = path.join(import.meta.dirname, '..');
  const toFile = (id) => path.relative(root, id.split('?')[0] ?? id).replaceAll('\\', '/');
  const isRefused = (id, { name }) => isRefusedIn(name, toFile(id));

  function refuse(context, id) {
    const { name, config } = context.environment;
    const importers = listImporters(context, id).map((importer) => path.relative(config.root, importer));
    const chain = importers.map((importer) => `\n  imported by ${importer}`).join('');
    context.error(`${toFile(id)} runs on the server alone and cannot be part of '${name}':${chain}`);
  }

  return {
    name: 'flight-recorder:server-rooms',
    enforce: 'pre',
    sharedDuringBuild: true,
    applyToEnvironment: ({ name }) => name === 'client' || name === 'ssr',
    load(id) {
      if (this.environment.mode === 'dev' && isRefused(id, this.environment)) refuse(this, id);
    },
    buildEnd(error) {
      if (error || this.environment.mode !== 'build') return;
      const refused = [...this.getModuleIds()].filter((id) => isRefused(id, this.environment));
      // The first on the way from the page: it is the import that has to go.
      const first = refused.find((id) =>
        this.getModuleInfo(id)?.importers.some((importer) => !isRefused(importer, this.environment)),
      );
      if (first !== undefined) refuse(this, first);
    },
  };
}
