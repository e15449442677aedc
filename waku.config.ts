import path from 'node:path';

import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'waku/config';

import { guardServerRooms } from './scripts/server-rooms.mjs';
import { readSetting } from './src/environment/read-setting.ts';
import { labReferences } from './src/lab/list/vite.ts';
import type { ExperimentFolder } from './src/lab/list/read-experiments.ts';
import { ownLabFolder } from './src/lab/own-folder.ts';
import { measureSaves } from './src/lab/saves/vite.ts';
import { labExperiments } from './src/lab/vite.ts';
import { bundledThread, recorderThread, referenceSources } from './src/recorder/vite.ts';
import { servedModules } from './src/runtime/errors/served-modules.ts';
import { tellChanges } from './src/runtime/errors/vite.ts';
import { loadModulesOurWay } from './src/runtime/navigation/vite.ts';
import { rendererHook } from './src/runtime/renderer/vite.ts';
import { mountToken } from './src/waku/mount/mount-path.ts';
import { setAddresses } from './src/waku/mount/vite.ts';

/**
 * Everything that every page loads, in one file. As a dozen separate files they share no compression window and are 3
 * kB larger. The last three entries are what the root layout names, and the lists of it, for each of which plugin-rsc
 * makes a file. The SDK and what only some pages use stay separate.
 */
const neededByEveryPage = new RegExp(
  [
    String.raw`node_modules[\\/](?:react|react-dom|scheduler|waku|rsc-html-stream|react-server-dom-webpack|@vitejs[\\/]plugin-rsc)[\\/]`,
    String.raw`[\\/]src[\\/]runtime[\\/](?!reporting[\\/](?:browser-sdk|data-collection|deliver-reports)|errors[\\/](?:copy-|error-(?:help|document)|late-|panel-styles|use-can-go)|actions[\\/]use-form-state|navigation[\\/](?:use-navigate|use-part|part-failed|navigation-state))`,
    String.raw`[\\/]src[\\/]http[\\/]`,
    String.raw`waku\.client`,
    String.raw`[\\/]src[\\/]components[\\/]nav-link`,
    'client-references/group/facade:src/pages/_root',
    'client-references/group/shared:src/runtime/(?!errors/copy-)',
  ].join('|'),
);

/**
 * Small modules that several pages share. Separate files would each cost a name in every page's list of files, and a
 * request. With what an error panel shows later, which then often needs no request.
 */
const sharedByPages = new RegExp(
  [
    String.raw`[\\/]src[\\/]components[\\/](?:browser-time|facts|format-|panel|flights[\\/]live-flights)`,
    // Lists write numbers, too: without this they would load the viewer for it.
    String.raw`[\\/]packages[\\/]flight[\\/]src[\\/]format-numbers`,
    String.raw`[\\/]src[\\/]runtime[\\/](?:errors[\\/](?:copy-|error-(?:help|document)|late-|panel-styles|use-can-go)|actions[\\/]use-form-state|navigation[\\/](?:use-navigate|use-part|part-failed))`,
    'client-references/group/shared:src/(?:components/(?:browser-time|flights/live-flights)|runtime/errors/copy-)',
  ].join('|'),
);

/**
 * What the viewer's first picture needs of the decoder and of the viewer's own. Its panels are files of their own, which name
 * this one; without it they would name a dozen small ones. What finds flights in files is needed by the page `/decode` alone.
 */
const neededByViewer = new RegExp(
  [
    String.raw`[\\/]packages[\\/]flight[\\/]src[\\/](?!format-numbers|open-flights|flight-file|from-|html-|http-head|multipart|other-formats|script-|sniff|unpack|explain-|diff)`,
    String.raw`[\\/]src[\\/]viewer[\\/][\w-]+\.tsx?$`,
    String.raw`[\\/]src[\\/]components[\\/]decode[\\/](?:count-in-worker|decode-in-worker|flight-worker)`,
  ].join('|'),
);

/** Tiny modules of the experiments: each file of its own would cost its name in what every page loads. */
const ofLab =
  /[\\/]src[\\/]lab[\\/]|[\\/]src[\\/]components[\\/]lab[\\/]sent-|client-references\/group\/(?:facade|shared):src\/(?:pages\/lab|lab|components\/lab)\/|lab-references/;

/** Set by scripts/lab.mjs: somebody's own folder of experiments. */
const ownFolder = process.env['LAB_FOLDER'] || undefined;
const experimentFolders: readonly ExperimentFolder[] = [
  ...(ownFolder === undefined || path.resolve(ownFolder) === path.resolve('src/lab')
    ? []
    : [{ folder: ownFolder, group: path.basename(ownFolder), isOwn: true as const }]),
  { folder: 'src/lab', group: 'Others' },
];

/** The thread that reads source maps. */
const mapsThread = {
  owner: 'reports/source-maps/start-thread',
  url: './thread/maps-thread.ts',
  file: 'maps-thread.js',
};

/** Set by scripts/prepare.mjs for the build that is mounted in other apps: docs/decisions/045-mounted-interface.md. */
const isMounted = process.env['FLIGHT_BUILD'] === 'mounted';
const mount = isMounted ? mountToken : '';
/** As folders are named: without a slash before it. */
const mountFolder = isMounted ? `${mountToken.slice(1)}/` : '';

/** The server's chunks stay where they are when the mount path has more folders than the token: they name each other. */
const chunksOfServer = isMounted ? { output: { chunkFileNames: 'assets/[name]-[hash].js' } } : {};

export default defineConfig({
  ...(isMounted ? { distDir: 'dist/mounted', rscBase: `${mountFolder}RSC` } : {}),
  vite: {
    plugins: [
      react(),
      tailwindcss(),
      rendererHook(),
      recorderThread(),
      bundledThread(mapsThread),
      referenceSources(),
      labReferences((file) => /[\\/]src[\\/](?:components[\\/])?lab[\\/]/.test(file)),
      labExperiments({ folders: experimentFolders }),
      measureSaves({ folders: experimentFolders }),
      ...(ownFolder === undefined ? [] : [ownLabFolder(ownFolder)]),
      servedModules(),
      tellChanges(ownFolder),
      guardServerRooms(),
      loadModulesOurWay(),
      setAddresses({ mount, waku: mount, rsc: 'RSC' }),
    ],
    // A page that fails writes to this folder. Without this, the dev server takes that for an edit, and reloads the
    // page for ever.
    server: { watch: { ignored: [`${path.resolve(readSetting('FLIGHT_DATA'))}/**`] } },
    // Without maps, the compiler of style sheets does not say where an error is.
    css: { devSourcemap: true },
    // Of all environments, and of workers: a style sheet of the server's modules has the same name in the browser's build.
    build: { assetsDir: `${mountFolder}assets` },
    environments: {
      // Read when an error is looked at, and never sent: src/runtime/errors/source-maps.ts.
      client: {
        // Dev looks for dependencies in every module, also in the server's. A dependency that is only found at its
        // first load, like the SDK, makes it start again in front of the visitor.
        optimizeDeps: { exclude: ['server-only'], include: ['@sentry/react'] },
        build: {
          sourcemap: isMounted ? false : 'hidden',
          rolldownOptions: {
            // An address or a header's name costs less where it is used than as a variable.
            optimization: { inlineConst: { mode: 'all' } },
            output: {
              codeSplitting: {
                groups: [
                  { name: 'runtime', test: neededByEveryPage },
                  { name: 'parts', test: sharedByPages },
                  { name: 'viewer', test: neededByViewer },
                  { name: 'lab', test: ofLab },
                ],
              },
            },
          },
        },
      },
      rsc: { build: { sourcemap: !isMounted, rolldownOptions: chunksOfServer } },
      ssr: { build: { sourcemap: !isMounted, rolldownOptions: chunksOfServer } },
    },
  },
});
