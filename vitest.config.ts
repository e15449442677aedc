import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

const shared = {
  // The build enforces `server-only`. Here it is only an import that must resolve.
  resolve: { alias: { 'server-only': new URL('./e2e/empty.ts', import.meta.url).pathname } },
};

export default defineConfig({
  test: {
    projects: [
      {
        ...shared,
        test: {
          name: 'server',
          // Vitest sets it to Vite's base. In this app it is the operator's setting for the server's public address.
          env: { BASE_URL: '' },
          environment: 'node',
          include: ['{src,packages,bench,scripts,e2e}/**/*.test.{ts,mjs}'],
          setupFiles: ['./e2e/fail-on-console.ts'],
        },
      },
      {
        ...shared,
        plugins: [react()],
        test: {
          name: 'browser',
          environment: 'happy-dom',
          include: ['src/**/*.test.tsx'],
          setupFiles: ['./e2e/fail-on-console.ts'],
        },
      },
    ],
  },
});
