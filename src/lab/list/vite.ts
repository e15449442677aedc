import { getPluginApi } from '@vitejs/plugin-rsc';
import type { Plugin } from 'vite';

/**
 * Every page of a build loads a table of all client modules, by which the browser finds a reference's file. Each entry costs some
 * 35 bytes there. This moves the entries of the lab into a file of the lab, so that an experiment costs other pages nothing. What
 * the table does not know is asked for there.
 *
 * The table is a module that plugin-rsc generates. The build fails when it is not there any more, or has lost its form.
 */
const table = '\0virtual:vite-rsc/client-references';
const moved = 'virtual:flight-recorder/lab-references';

/** As plugin-rsc prints an entry; its name holds no quote, since it is a file's. */
const entry =
  /"(?<key>[^"]+)": async \(\) => \{\s*const m = await import\((?<group>"[^"]+")\);\s*return m\.export_\w+;\s*\},/g;

type Split = { readonly kept: readonly string[]; readonly moved: readonly string[] };

/** @returns undefined when the code is more, or other, than entries */
export function splitReferences(code: string, isOfLab: (key: string) => boolean): Split | undefined {
  const split: { kept: string[]; moved: string[] } = { kept: [], moved: [] };
  const rest = code.replaceAll(entry, (whole: string, key: string) => {
    (isOfLab(key) ? split.moved : split.kept).push(whole);
    return '';
  });
  return /^export default \{\s*\};?\s*$/.test(rest) ? split : undefined;
}

function printTable(kept: readonly string[]): string {
  const ask = `(known, id) => known[id] ?? (async () => (await import(${JSON.stringify(moved)})).load(id))`;
  return `export default new Proxy({${kept.join('\n')}}, { get: ${ask} });\n`;
}

function printMoved(entries: readonly string[]): string {
  return `const references = {${entries.join('\n')}};
export function load(id) {
  if (!Object.hasOwn(references, id)) throw new Error('client reference not found ' + id);
  return references[id]();
}
`;
}

/** @param isOfLab whether the client module of this path is an experiment's */
export function labReferences(isOfLab: (file: string) => boolean): Plugin {
  let entries: readonly string[] = [];
  let isMet = false;
  return {
    name: 'flight-recorder:lab-references',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    resolveId: (id) => (id === moved ? `\0${moved}` : undefined),
    load(id) {
      return id === `\0${moved}` ? { code: printMoved(entries), map: null } : undefined;
    },
    transform: {
      handler(code, id) {
        if (id !== table) return undefined;
        const metas = Object.values(getPluginApi(this.environment.config)?.manager.clientReferenceMetaMap ?? {});
        const keys = new Set(metas.filter((meta) => isOfLab(meta.importId)).map((meta) => meta.referenceKey));
        const split = splitReferences(code, (key) => keys.has(key));
        if (!split) return this.error("lab/list/vite.ts: plugin-rsc's table of client modules has another form now");
        entries = split.moved;
        isMet = true;
        return split.moved.length === 0 ? undefined : { code: printTable(split.kept), map: null };
      },
    },
    writeBundle() {
      if (!isMet) this.error("lab/list/vite.ts: plugin-rsc's table of client modules was not met");
    },
  };
}
