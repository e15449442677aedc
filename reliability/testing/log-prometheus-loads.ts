import { registerHooks } from 'node:module';

/** Loaded before the server (`--import`). Writes a line for each module of the build, and whether prom-client is in it. */
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.includes('/dist/server/')) return loaded;
    const isPrometheus = /process_cpu_user_seconds_total/.test(String(loaded.source));
    process.stderr.write(`${JSON.stringify({ event: 'module-loaded', isPrometheus })}\n`);
    return loaded;
  },
});
