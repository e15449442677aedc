import path from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Plugin } from 'vite';

/** What stands before the addresses of one build; empty where they begin at the root. */
export type AddressBases = {
  /** Before the interface's pages and endpoints: src/http/addresses.ts. */
  readonly mount: string;
  /** Before `/RSC/` and `/assets/` of the app that is built: src/http/waku-addresses.ts. Its `basePath` without the last slash. */
  readonly waku: string;
};

/** As it is written in the source, and in the package's JavaScript. */
type Constant = { readonly file: RegExp; readonly written: RegExp; readonly base: keyof AddressBases };

const constants: readonly Constant[] = [
  { file: /[/\\]http[/\\]addresses\.[jt]s$/, written: /\b(mountPath(?:: string)? = )(?:''|"")/g, base: 'mount' },
  { file: /[/\\]http[/\\]waku-addresses\.[jt]s$/, written: /\b(wakuBase(?:: string)? = )(?:''|"")/g, base: 'waku' },
];

/** Another package may have files of these names. */
const ownModules = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Writes where a build's addresses begin into the two modules that spell them. In every other build, in tests and in plain Node
 * they begin at the root, as the modules say.
 * @param bases in another app they are only known when Vite has read its configuration
 */
export function setAddresses(bases: AddressBases | (() => AddressBases)): Plugin {
  return {
    name: 'flight-recorder:addresses',
    enforce: 'pre',
    transform(code, id) {
      const file = path.normalize(id.split('?')[0] ?? id);
      const constant = file.startsWith(ownModules) ? constants.find((each) => each.file.test(file)) : undefined;
      if (!constant) return undefined;
      const { written, base } = constant;
      if (code.match(written)?.length !== 1) this.error(`${file} does not say ${written} once`);
      const text = JSON.stringify((typeof bases === 'function' ? bases() : bases)[base]);
      // In place of a text of another length: the map of one line is not worth a library.
      return { code: code.replace(written, (_, name: string) => name + text), map: null };
    },
  };
}
