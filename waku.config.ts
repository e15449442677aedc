import path from 'node:path';

import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'waku/config';

import { guardServerRooms } from './scripts/server-rooms.mjs';
import { recorderThread, referenceSources } from './src/recorder/vite.ts';
import { servedModules } from './src/runtime/errors/served-modules.ts';
import { tellChanges } from './src/runtime/errors/vite.ts';
import { rendererHook } from './src/runtime/renderer/vite.ts';

/**
 * What every page loads, in one file: apart, the dozen pieces share no compression window and come to 3 kB more. The
 * last three are what the root layout names, and the lists of it, of which plugin-rsc makes a file each. The SDK and what
 * only some pages use stay apart.
 */
const neededByEveryPage = new RegExp(
  [
    String.raw`node_modules[\\/](?:react|react-dom|scheduler|waku|rsc-html-stream|react-server-dom-webpack|@vitejs[\\/]plugin-rsc)[\\/]`,
    String.raw`[\\/]src[\\/]runtime[\\/](?!reporting[\\/](?:browser-sdk|data-collection|deliver-reports)|errors[\\/]copy-|actions[\\/]use-form-action|navigation[\\/](?:use-navigate|navigation-state))`,
    String.raw`[\\/]src[\\/]http[\\/]`,
    String.raw`waku\.client`,
    String.raw`[\\/]src[\\/]components[\\/]nav-link`,
    'client-references/group/facade:src/pages/_root',
    'client-references/group/shared:src/runtime/(?!errors/copy-)',
  ].join('|'),
);

/** Small things that several pages share: apart, each costs its name in the list of every page's files, and a request. */
const sharedByPages = new RegExp(
  [
    String.raw`[\\/]src[\\/]components[\\/](?:facts|format-|relative-time)`,
    String.raw`[\\/]src[\\/]runtime[\\/](?:errors[\\/]copy-|actions[\\/]use-form-action|navigation[\\/]use-navigate)`,
    'client-references/group/shared:src/(?:components/relative-time|runtime/errors/copy-)',
  ].join('|'),
);

export default defineConfig({
  vite: {
    plugins: [
      react(),
      tailwindcss(),
      rendererHook(),
      recorderThread(),
      referenceSources(),
      servedModules(),
      tellChanges(),
      guardServerRooms(),
    ],
    // A page that fails writes to it: as an edit that would load the page again, for ever.
    server: { watch: { ignored: [`${path.resolve(process.env.FLIGHT_DATA || 'data')}/**`] } },
    // Without maps the compiler of style sheets does not say where an error is.
    css: { devSourcemap: true },
    environments: {
      // Read when an error is looked at, never sent: src/runtime/errors/source-maps.ts.
      client: {
        // Dev looks for dependencies in every module, the server's too; and what is only found when it is first loaded,
        // as the SDK is, makes it start over in front of the visitor.
        optimizeDeps: { exclude: ['server-only'], include: ['@sentry/react'] },
        build: {
          sourcemap: 'hidden',
          rolldownOptions: {
            output: {
              codeSplitting: {
                groups: [
                  { name: 'runtime', test: neededByEveryPage },
                  { name: 'parts', test: sharedByPages },
                ],
              },
            },
          },
        },
      },
      rsc: { build: { sourcemap: true } },
      ssr: { build: { sourcemap: true } },
    },
  },
});
