import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { isRecord } from '#boundary';

/**
 * `dist` is all that is distributed, and most of it is other people's code, whose licences must come with it. So the build
 * writes the licences down: of each package that is part of `dist`, not of all that are installed.
 *
 * The modules of a bundle stand in its source map. What the builders themselves add stands in none: helpers of Vite and
 * Rolldown, and Tailwind's style sheet.
 */
const builders = ['vite', 'rolldown', 'tailwindcss'];

type Package = { readonly name: string; readonly version: string; readonly folder: string; readonly license: string };

function readPackage(folder: string): Package | undefined {
  const file = path.join(folder, 'package.json');
  const json: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  if (!isRecord(json)) return undefined;
  const { name, version, license } = json;
  // One without a name only says how the modules of its folder are read.
  if (typeof name !== 'string' || typeof version !== 'string') return undefined;
  return { name, version, folder, license: typeof license === 'string' ? license : '' };
}

/** The innermost: a nested copy of a package has a licence of its own. */
function findPackage(file: string): Package | undefined {
  for (let folder = path.dirname(file); folder.includes('node_modules'); folder = path.dirname(folder)) {
    const found = readPackage(folder);
    if (found) return found;
  }
  return undefined;
}

/** The modules of packages that the bundles below `folder` were made of, by the maps beside them. */
export function listMappedModules(folder: string): string[] {
  const modules = new Set<string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.js.map')) continue;
    const map: unknown = JSON.parse(readFileSync(path.join(entry.parentPath, entry.name), 'utf8'));
    for (const source of isRecord(map) && Array.isArray(map['sources']) ? map['sources'] : []) {
      const file = path.resolve(entry.parentPath, String(source));
      if (file.includes('node_modules')) modules.add(file);
    }
  }
  return [...modules];
}

function readLicense({ name, folder, license }: Package): string {
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)\b/i.test(file));
  const texts = files.toSorted().map((file) => readFileSync(path.join(folder, file), 'utf8').trim());
  if (texts.length > 0) return texts.join('\n\n');
  if (license === '') throw new Error(`bundled-licenses.ts: ${name} says nowhere under which licence it is`);
  return `It brings no text of its licence; its package.json says: ${license}`;
}

/** @param modules paths of files in packages; others are left out */
export function formatLicenses(modules: readonly string[], root: string): string {
  const own = readPackage(root);
  const built = builders.map((name) => readPackage(path.join(root, 'node_modules', name)));
  const found = new Map<string, Package>();
  for (const one of [...built, ...modules.map(findPackage)]) if (one) found.set(`${one.name} ${one.version}`, one);
  const sorted = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const entries = [...(own ? [[`${own.name} ${own.version}`, own] as const] : []), ...sorted];
  // The Apache License is eleven kilobytes, and a dozen packages bring it.
  const told = new Map<string, string>();
  const blocks = entries.map(([title, one]) => {
    const text = readLicense(one);
    const first = told.get(text);
    // A shorter one is as short as what stands in its place.
    if (first === undefined && text.length > 500) told.set(text, title);
    const shown = first === undefined ? text : `Its licence is that of ${first}, word for word.`;
    return `${title}\n${'='.repeat(title.length)}\n\n${shown}\n`;
  });
  return `What is in this folder was made of the following, under these licences.\n\n${blocks.join('\n\n')}`;
}
