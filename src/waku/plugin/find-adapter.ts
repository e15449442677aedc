import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { ResolvedConfig } from 'vite';

/**
 * Which of Waku's adapters the app's server is built with. It must be known before the first module is compiled: for another one than
 * Node's, what the server's side of Flight Recorder would answer must not be in the browser's either.
 */
const adapterModule = 'waku/adapters/default';
const adapterImport = /\bfrom\s*(['"])waku\/adapters\/([\w-]+)\1/;
const entryName = /^waku\.server\.(?:js|ts|tsx|jsx|mjs|cjs)$/;

/** @returns what the app's own server entry names, in whatever folder its `srcDir` is; undefined: it has none, or names none of Waku's */
function findOwnAdapter(root: string): string | undefined {
  const folders = readdirSync(root, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !/^(?:node_modules$|\.)/.test(entry.name),
  );
  for (const { name: folder } of folders) {
    const entry = readdirSync(path.join(root, folder)).find((name) => entryName.test(name));
    const found = entry === undefined ? null : adapterImport.exec(readFileSync(path.join(root, folder, entry), 'utf8'));
    if (found) return found[2];
  }
  return undefined;
}

/** Waku chooses it by its configuration and by the host's variables, and tells only its own plugin, which is asked here. */
async function findDefaultAdapter({ plugins }: Pick<ResolvedConfig, 'plugins'>): Promise<string | undefined> {
  const resolveId: unknown = plugins.find(({ name }) => name === 'waku:vite-plugins:adapter-alias')?.resolveId;
  if (typeof resolveId !== 'function') return undefined;
  let asked: string | undefined;
  const context = {
    async resolve(name: string) {
      asked = name;
      return { id: name };
    },
  };
  await Reflect.apply(resolveId, context, [adapterModule, undefined, {}]);
  return asked?.replace(/^waku\/adapters\//, '');
}

/** @returns `node`, `vercel`, …; the whole name of a package's. Where nobody says it: `node`, which is Waku's own choice */
export async function findAdapter(config: Pick<ResolvedConfig, 'root' | 'plugins'>): Promise<string> {
  const own = findOwnAdapter(config.root) ?? 'default';
  return own === 'default' ? ((await findDefaultAdapter(config)) ?? 'node') : own;
}
