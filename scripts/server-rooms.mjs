import path from 'node:path';

/**
 * Which code stays on the server, and what keeps it there.
 *
 * Modules of `serverOnlyRooms` begin with `import 'server-only'`: plugin-rsc refuses them where the browser's code is built. Node
 * itself cannot load that import. So the plain rooms, which also run without a bundler (in the recorder's thread, in commands, in
 * a proxy), do without it, and the plugin below refuses them by their folder.
 *
 * The lint rule `house/server-only` keeps both. Paths are those below `src/`; the longest that fits a module counts.
 */
const serverOnlyRooms = [
  'middleware',
  'reports',
  'alerts',
  'metrics',
  'operator',
  'host',
  'recorder/for-operator',
  'apps/for-operator',
];
const plainRooms = [
  'recorder',
  'reports/source-maps/thread',
  'store',
  'http',
  'environment',
  'port',
  'apps',
  'proxy',
  'command',
  'waku/mount',
  'waku/pack',
  'waku/plugin',
  'next',
  'rsc',
  'budgets',
  'sender',
  'telemetry',
  'waku/interface',
  'workers',
];

/** Modules of plain rooms that the browser shares. They use nothing of Node. */
export const sharedWithBrowser = new Set([
  'http/addresses.ts',
  'http/escape-text.ts',
  'http/flight-headers.ts',
  'http/is-record.ts',
  'http/refusals.ts',
  'http/waku-addresses.ts',
  'store/own-app.ts',
]);

/** Client components are rendered on the server too, in the environment `ssr`. There `http` may run: it knows the request. */
const refusedIn = {
  client: [
    'recorder',
    'reports/source-maps/thread',
    'store',
    'http',
    'environment',
    'port',
    'apps',
    'proxy',
    'command',
    'sender',
    'telemetry',
    'waku/interface',
    'workers',
  ],
  ssr: [
    'recorder',
    'reports/source-maps/thread',
    'store',
    'port',
    'apps',
    'proxy',
    'command',
    'sender',
    'telemetry',
    'waku/interface',
    'workers/primary',
  ],
};

function isIn(room, file) {
  return file.startsWith(`${room}/`);
}

function longestRoom(rooms, file) {
  return Math.max(0, ...rooms.filter((room) => isIn(room, file)).map((room) => room.length));
}

/**
 * @param {string} file below `src/`
 * @returns {'server-only' | 'plain' | undefined}
 */
export function findRoomKind(file) {
  const [serverOnly, plain] = [longestRoom(serverOnlyRooms, file), longestRoom(plainRooms, file)];
  if (serverOnly === 0 && plain === 0) return undefined;
  return serverOnly > plain ? 'server-only' : 'plain';
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
 * @param {string} [sources] the folder with the rooms
 * @returns {import('vite').Plugin}
 */
export function guardServerRooms(sources = path.join(import.meta.dirname, '../src')) {
  const toFile = (id) => path.relative(sources, id.split('?')[0] ?? id).replaceAll('\\', '/');

  function isRefused(id, { name }) {
    const file = toFile(id);
    return !sharedWithBrowser.has(file) && refusedIn[name].some((room) => isIn(room, file));
  }

  function refuse(context, id) {
    const { name, config } = context.environment;
    const importers = listImporters(context, id).map((importer) => path.relative(config.root, importer));
    const chain = importers.map((importer) => `\n  imported by ${importer}`).join('');
    context.error(`src/${toFile(id)} runs on the server alone and cannot be part of '${name}':${chain}`);
  }

  return {
    name: 'flight-recorder:server-rooms',
    enforce: 'pre',
    sharedDuringBuild: true,
    applyToEnvironment: ({ name }) => name in refusedIn,
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
