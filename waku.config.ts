import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'waku/config';

import { rendererHook } from './src/runtime/renderer/vite.ts';

export default defineConfig({
  vite: {
    plugins: [react(), tailwindcss(), rendererHook()],
    environments: {
      // Read when an error is looked at, never sent: src/runtime/errors/source-maps.ts.
      client: { build: { sourcemap: 'hidden' } },
      rsc: { build: { sourcemap: true } },
      ssr: { build: { sourcemap: true } },
    },
  },
});
