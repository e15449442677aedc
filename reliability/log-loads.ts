import { registerHooks } from 'node:module';

/** Loaded before the server (`--import`): a line for each bundle of the server that is loaded, and whether it has the Sentry SDK in it. */
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.includes('/dist/server/')) return loaded;
    const isSdk = /sentry\.javascript/.test(String(loaded.source));
    process.stderr.write(`${JSON.stringify({ event: 'loaded', isSdk })}\n`);
    return loaded;
  },
});
