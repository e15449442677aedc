import { registerHooks } from 'node:module';

/**
 * Loaded before the server (`--import`). It makes the built bundle's own copy of React's decoder write a line whenever
 * it is entered. The product contains nothing of this, and the code that runs is the built code with one more line.
 *
 * These are all functions of `react-server-dom` that take what a client sent; the bundle has one copy of each.
 */
const entrance =
  /exports\.(decode(?:Action|FormState|Reply|ReplyFromAsyncIterable|ReplyFromBusboy)) ?= ?function\([^)]*\) ?\{/g;

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.includes('/dist/server/') || loaded.source === null || loaded.source === undefined) return loaded;
    const text = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
    const names: string[] = [];
    const source = text.replaceAll(entrance, (whole: string, name: string) => {
      names.push(name);
      return `${whole} process.stderr.write(${JSON.stringify(`${JSON.stringify({ event: 'decoded', by: name })}\n`)});`;
    });
    if (names.length === 0) return loaded;
    process.stderr.write(`${JSON.stringify({ event: 'decoder-watched', names })}\n`);
    return { ...loaded, source };
  },
});
