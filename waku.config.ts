import path from 'node:path';

import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'waku/config';

import { recorderThread, referenceSources } from './src/recorder/vite.ts';
import { tellChanges } from './src/runtime/errors/vite.ts';
import { rendererHook } from './src/runtime/renderer/vite.ts';

/**
 * What every page loads, in one file: apart, the dozen pieces share no compression window and come to 3 kB more. The
 * SDK and what only some pages use stay apart.
 */
const neededByEveryPage =
  /node_modules[\\/](?:react|react-dom|scheduler|waku|rsc-html-stream|react-server-dom-webpack|@vitejs[\\/]plugin-rsc)[\\/]|[\\/]src[\\/]runtime[\\/](?!reporting[\\/](?:browser-sdk|data-collection)|actions[\\/]use-form-action|navigation[\\/](?:use-navigate|navigation-state))|waku\.client/;

export default defineConfig({
  vite: {
    plugins: [react(), tailwindcss(), rendererHook(), recorderThread(), referenceSources(), tellChanges()],
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
                groups: [{ name: 'runtime', test: neededByEveryPage }],
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
