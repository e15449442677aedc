import path from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Plugin } from 'vite';

/** What stands before the addresses of one build; empty where they begin at the root. */
export type AddressBases = {
  /** Before the interface's pages and endpoints: src/server/http/addresses.ts. */
  readonly mount: string;
  /** Before `/RSC/` and `/assets/` of the app that is built: src/server/http/waku-addresses.ts. Its `basePath` without the last slash. */
  readonly waku: string;
  /** Between that and what Waku's addresses name: the app's `rscBase`, `RSC` where it sets none. */
  readonly rsc: string;
};

/** As it is written in the source, and in the package's JavaScript. */
type Constant = { readonly file: RegExp; readonly written: RegExp; readonly base: keyof AddressBases };

const constants: readonly Constant[] = [
  { file: /[/\\]http[/\\]addresses\.[jt]s$/, written: /\b(mountPath(?:: string)? = )(?:''|"")/g, base: 'mount' },
  { file: /[/\\]http[/\\]waku-addresses\.[jt]s$/, written: /\b(wakuBase(?:: string)? = )(?:''|"")/g, base: 'waku' },
  { file: /[/\\]http[/\\]waku-addresses\.[jt]s$/, written: /\b(rscBase(?:: string)? = )(?:'RSC'|"RSC")/g, base: 'rsc' },
];

/** Another package may have files of these names. */
const ownModules = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Writes where a build's addresses begin into the two modules that spell them. In every other build, in tests and in plain Node
 * they are as the modules say: at the root, and Waku's own below `/RSC/`.
 * @param bases in another app they are only known when Vite has read its configuration
 */
export function setAddresses(bases: AddressBases | (() => AddressBases)): Plugin {
  return {
    name: 'flight-recorder:addresses',
    enforce: 'pre',
    transform(code, id) {
      const file = path.normalize(id.split('?')[0] ?? id);
      const ofFile = file.startsWith(ownModules) ? constants.filter((each) => each.file.test(file)) : [];
      if (ofFile.length === 0) return undefined;
      const known = typeof bases === 'function' ? bases() : bases;
      let changed = code;
      for (const { written, base } of ofFile) {
        if (changed.match(written)?.length !== 1) this.error(`${file} does not say ${written} once`);
        changed = changed.replace(written, (_, name: string) => name + JSON.stringify(known[base]));
      }
      // In place of texts of another length: the map of two lines is not worth a library.
      return { code: changed, map: null };
    },
  };
}
