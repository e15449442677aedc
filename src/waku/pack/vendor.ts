import path from 'node:path';

import { build } from 'vite';

/**
 * What comes with Waku, and what a bundler or Node gives. It must be the app's own: a second React, or a second copy of Waku's router,
 * would not know the first one's state.
 */
const given =
  /^(?:node:|virtual:|server-only$|(?:react|react-dom|react-server-dom-webpack|waku|hono|vite|@vitejs\/plugin-rsc|@hono\/node-server)(?:\/|$))/;

export function isGiven(name: string): boolean {
  return given.test(name);
}

/** `@jridgewell/trace-mapping` → `vendor/jridgewell-trace-mapping.js` */
export function vendorFile(name: string): string {
  return `vendor/${name.replace(/^@/, '').replace(/\//g, '-')}.js`;
}

/** Which names of a package are used; `all` where that cannot be told. */
export type UsedNames = ReadonlySet<string> | 'all';

/**
 * One package, with all that it needs, as one module that exports `used`.
 * @returns the modules that it was made of
 */
export async function bundlePackage(name: string, used: UsedNames, file: string): Promise<readonly string[]> {
  const id = 'virtual:vendor';
  const names = used === 'all' ? '*' : `{ ${[...used].join(', ')} }`;
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [
      {
        name: 'flight-recorder:vendor',
        enforce: 'pre',
        resolveId: (source) => (source.endsWith(id) ? id : undefined),
        load: (loaded) => (loaded === id ? `export ${names} from ${JSON.stringify(name)};` : undefined),
      },
    ],
    build: {
      lib: { entry: id, formats: ['es'], fileName: () => path.basename(file) },
      target: 'es2022',
      minify: false,
      outDir: path.dirname(file),
      emptyOutDir: false,
      rolldownOptions: {
        external: (source) => isGiven(source),
        // Only white space goes: a stack has the names of the sources.
        output: { minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } } },
      },
    },
  });
  const outputs = Array.isArray(result) ? result : 'output' in result ? [result] : [];
  return outputs.flatMap(({ output }) =>
    output.flatMap((chunk) => (chunk.type === 'chunk' ? Object.keys(chunk.modules) : [])),
  );
}
