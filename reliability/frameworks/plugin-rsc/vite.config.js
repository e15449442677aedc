import react from '@vitejs/plugin-react';
import rsc from '@vitejs/plugin-rsc';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [
    rsc({ entries: { client: './src/entry.browser.jsx', rsc: './src/entry.rsc.jsx', ssr: './src/entry.ssr.jsx' } }),
    react(),
  ],
});
