import path from 'node:path';

import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'waku/config';

import { guardServerRooms } from './scripts/server-rooms.mjs';
import { nameStartChunk } from './src/server/adapter/start-chunk.ts';
import { readSetting } from './src/server/environment/read-setting.ts';
import { labReferences } from './src/lab/list/vite.ts';
import type { ExperimentFolder } from './src/lab/list/read-experiments.ts';
import { ownLabFolder } from './src/lab/own-folder.ts';
import { measureSaves } from './src/lab/saves/vite.ts';
import { labExperiments } from './src/lab/vite.ts';
import { bundledThread, recorderThread, referenceSources } from './src/flights/recorder/vite.ts';
import { oneFileTemplate } from './src/flights/one-file-template/vite.ts';
import { servedModules } from './src/runtime/errors/served-modules.ts';
import { tellChanges } from './src/runtime/errors/vite.ts';
import { loadModulesOurWay } from './src/runtime/navigation/vite.ts';
import { rendererHook } from './src/runtime/renderer/vite.ts';
import { editorLinks } from './src/ui/editor/vite.ts';
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
    String.raw`[\\/]src[\\/]runtime[\\/](?!reporting[\\/](?:browser-sdk|data-collection)|errors[\\/](?:copy-|error-(?:help|document)|late-)|actions[\\/]use-form-state|navigation[\\/](?:use-navigate|use-part|part-failed|navigation-state))`,
    String.raw`[\\/]src[\\/]server[\\/]http[\\/]`,
    String.raw`[\\/]packages[\\/](?:boundary|report)[\\/](?!src[\\/]browser[\\/]deliver-reports)`,
    String.raw`waku\.client`,
    String.raw`[\\/]src[\\/]ui[\\/]nav-link`,
    'client-references/group/facade:src/pages/_root',
    'client-references/group/shared:src/runtime/(?!errors/copy-)',
    String.raw`[\\/]packages[\\/]viewer[\\/]src[\\/](?:import-part|use-hydrated)`,
  ].join('|'),
);

/**
 * Small modules that several pages share. Separate files would each cost a name in every page's list of files, and a
 * request. With what an error panel shows later, which then often needs no request.
 */
const sharedByPages = new RegExp(
  [
    String.raw`[\\/]src[\\/](?:ui[\\/](?:browser-time|format-|own-pages)|apps[\\/]interface[\\/]reload-on-change|flights[\\/]interface[\\/]live-flights)`,
    String.raw`[\\/]packages[\\/]viewer[\\/]src[\\/](?:copy-text|facts|glossary|panel|part-failed|table|term)`,
    // Lists write numbers, too: without this they would load the viewer for it.
    String.raw`[\\/]packages[\\/]flight[\\/]src[\\/]format-numbers`,
    String.raw`[\\/]src[\\/]runtime[\\/](?:errors[\\/](?:copy-|error-(?:help|document)|late-)|actions[\\/]use-form-state|navigation[\\/](?:use-navigate|use-part|part-failed))`,
    'client-references/group/shared:src/(?:ui/(?:browser-time|own-pages)|apps/interface/reload-on-change|flights/interface/live-flights|runtime/errors/copy-)',
  ].join('|'),
);

/**
 * What the viewer's first picture needs of the decoder and of the viewer's own. Its panels are files of their own, which name
 * this one; without it they would name a dozen small ones. What finds flights in files is needed by the page `/decode` alone.
 */
const neededByViewer = new RegExp(
  [
    String.raw`[\\/]packages[\\/]flight[\\/]src[\\/](?!decode-reply|format-numbers|open-flights|flight-file|file-fields|base64|one-file|from-|html-|http-head|multipart|script-|sniff|unpack|unwrap|explain-|diff|secrets[\\/](?!describe-personal)|server-time[\\/](?!find-row-cause)|frameworks[\\/]next-(?:tree|request))`,
    String.raw`[\\/]packages[\\/]viewer[\\/]src[\\/](?!add-texts|copy-text|facts|glossary|import-part|outline|panel|part-failed|search-field|table|term|use-hydrated|use-search|window)[\w-]+\.tsx?$`,
    String.raw`[\\/]src[\\/]flights[\\/]interface[\\/]decode[\\/](?:count-in-worker|decode-in-worker|flight-worker|viewer-addresses)`,
  ].join('|'),
);

/** What panels with a list share: the rows, the tree, the waterfall. */
const neededByLists = /[\\/]packages[\\/]viewer[\\/]src[\\/](?:outline|search-field|use-search|window)/;

/**
 * Tiny modules of the experiments: each file of its own would cost its name in what every page loads. Not what decodes a payload: with it
 * each experiment would load the viewer.
 */
const ofLab =
  /[\\/]src[\\/]lab[\\/](?!interface[\\/](?!sent-)|read-plain)|client-references\/group\/(?:facade|shared):src\/(?:pages\/lab|lab)\/|lab-references/;

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
  owner: 'faults/source-maps/start-thread',
  url: './thread/maps-thread.ts',
  file: 'maps-thread.js',
};

/** Set by scripts/prepare.mjs for the build that is mounted in other apps: docs/decisions/045-waku-plugin.md. */
const isMounted = process.env['FLIGHT_BUILD'] === 'mounted';
const mount = isMounted ? mountToken : '';
/** As folders are named: without a slash before it. */
const mountFolder = isMounted ? `${mountToken.slice(1)}/` : '';

/**
 * Both builds are in the package, which is small: so what is there only for readers of sources goes, comments and white space. Names
 * stay, so that a stack names its functions; maps lead to the sources, where they are. The server's chunks of the mounted build stay
 * where they are when the mount path has more folders than the token: they name each other.
 */
const chunksOfServer = {
  output: {
    ...(isMounted ? { chunkFileNames: 'assets/[name]-[hash].js' } : {}),
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  },
};

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
      ...(isMounted ? [] : [oneFileTemplate()]),
      labReferences((file) => /[\\/]src[\\/]lab[\\/]/.test(file)),
      labExperiments({ folders: experimentFolders }),
      measureSaves({ folders: experimentFolders }),
      ...(ownFolder === undefined ? [] : [ownLabFolder(ownFolder)]),
      servedModules(),
      tellChanges(ownFolder),
      editorLinks(ownFolder),
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
                  { name: 'lists', test: neededByLists },
                  { name: 'lab', test: ofLab },
                ],
              },
            },
          },
        },
      },
      rsc: {
        build: {
          sourcemap: !isMounted,
          rolldownOptions: {
            output: {
              ...chunksOfServer.output,
              codeSplitting: { groups: [{ name: nameStartChunk, includeDependenciesRecursively: false }] },
            },
          },
        },
      },
      ssr: { build: { sourcemap: !isMounted, rolldownOptions: chunksOfServer } },
    },
  },
});
