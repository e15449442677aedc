import { registerHooks } from 'node:module';

/**
 * Loaded before the server (`--import`). Writes a line for each server bundle that is loaded, and whether the Sentry
 * SDK is in it.
 */
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.includes('/dist/server/')) return loaded;
    const isSdk = /sentry\.javascript/.test(String(loaded.source));
    process.stderr.write(`${JSON.stringify({ event: 'loaded', isSdk })}\n`);
    return loaded;
  },
});
