import { registerHooks } from 'node:module';

/** For a bench that imports the server's modules with `import()`: `server-only` is a name that only a bundler knows. */
registerHooks({
  resolve: (name, context, next) =>
    name === 'server-only' ? { url: 'data:text/javascript,', shortCircuit: true } : next(name, context),
});
