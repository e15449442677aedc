import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { parseAst, transformWithOxc } from 'vite';

import { isRecord } from '#src/http/is-record.ts';

import { listUsedNames } from './used-names.ts';
import { bundlePackage, isGiven, type UsedNames, vendorFile } from './vendor.ts';
import { isNode, visit } from './walk-program.ts';

/**
 * The plugin for other Waku apps ships as JavaScript, module by module: the app's own build then sees each `'use client'`, drops
 * what the app does not use, and compiles for its own browsers. So the same modules that our own server is built from become
 * `dist/waku/inside/<path>.js`:
 *
 * - types and JSX are compiled away, because nothing strips types inside of `node_modules`;
 * - `#src/…` and `#flight` become relative, and every name of a module ends in `.js`. A module may be named in other places than an
 *   import (a thread's URL, `import.meta.viteRsc.import`), so each text in the code that is such a name is followed and rewritten;
 * - a package that does not come with Waku is bundled into a file of its own (vendor.ts): a packed Flight Recorder installs nothing.
 *
 * `import.meta.env` stays: it is the app's.
 */
type Edit = { readonly start: number; readonly end: number; readonly text: string };

/** Modules and styles by their paths from the root, and the modules of packages by their whole paths. */
type Packed = { readonly files: readonly string[]; readonly ofPackages: readonly string[] };

const moduleName = /^(?:\.{1,2}\/|#src\/)[\w./-]+\.(?:tsx?|mjs|css)$/;
/** The one name of package.json's `imports` that stays: which module it is depends on the app's environment. */
const conditional = '#waku-errors';
const flightName = '#flight';
const flightDoor = 'packages/flight/src/index.ts';
const importNodes = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
]);

type Text = { readonly text: string; readonly start: number; readonly end: number };

function readText(node: unknown): Text | undefined {
  if (!isNode(node) || node.type !== 'Literal' || !('value' in node)) return undefined;
  return typeof node.value === 'string' ? { text: node.value, start: node.start, end: node.end } : undefined;
}

/** `src/http/log.ts` → `http/log.js`, `packages/flight/src/index.ts` → `flight/index.js` */
function toPackedName(file: string): string {
  const name = file.replace(/^packages\/flight\/src\//, 'flight/').replace(/^src\//, '');
  return name.replace(/\.tsx?$/, '.js');
}

function toRelative(from: string, to: string): string {
  const relative = path.posix.relative(path.posix.dirname(from), to);
  return relative.startsWith('.') ? relative : `./${relative}`;
}

function toFile(name: string, importer: string): string {
  if (name === flightName) return flightDoor;
  return name.startsWith('#src/') ? name.slice(1) : path.posix.join(path.posix.dirname(importer), name);
}

function applyEdits(code: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((a, b) => b.start - a.start)
    .reduce(
      (text, { start, end, text: replaced }) => text.slice(0, start) + JSON.stringify(replaced) + text.slice(end),
      code,
    );
}

type Found = {
  readonly code: string;
  readonly files: readonly string[];
  /** What is used of each package. */
  readonly packages: ReadonlyMap<string, UsedNames>;
};

/** One module, compiled, with its names rewritten, and what it names. */
async function packModule(root: string, file: string): Promise<Found> {
  const source = readFileSync(path.join(root, file), 'utf8');
  const { code } = await transformWithOxc(source, path.join(root, file), {
    sourcemap: false,
    jsx: { runtime: 'automatic', development: false },
    typescript: { onlyRemoveTypeImports: true },
  });
  const here = toPackedName(file);
  const edits: Edit[] = [];
  const files: string[] = [];
  const packages = new Map<string, UsedNames>();
  const program = parseAst(code);
  visit(program, (node) => {
    const literal = readText(node);
    if (literal && (literal.text === flightName || moduleName.test(literal.text))) {
      const named = toFile(literal.text, file);
      // A text that only looks like a name: of a file that the build makes, or in a message.
      if (!existsSync(path.join(root, named))) return;
      files.push(named);
      edits.push({ ...literal, text: toRelative(here, toPackedName(named)) });
    }
    const imported = importNodes.has(node.type) && 'source' in node ? readText(node.source) : undefined;
    if (!imported || /^[.#]/.test(imported.text) || isGiven(imported.text)) return;
    packages.set(imported.text, listUsedNames(program, imported.text));
    edits.push({ ...imported, text: toRelative(here, vendorFile(imported.text)) });
  });
  return { code: applyEdits(code, edits), files, packages };
}

function addNames(known: UsedNames | undefined, more: UsedNames): UsedNames {
  if (known === 'all' || more === 'all') return 'all';
  return new Set([...(known ?? []), ...more]);
}

/**
 * For bundlers and for Node, which look for it in the nearest folder: how files are read, which ones do something by being imported,
 * and what depends on conditions.
 */
function writeManifest(root: string, folder: string): void {
  const own: unknown = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const imports = isRecord(own) && isRecord(own['imports']) ? own['imports'] : {};
  const manifest = {
    private: true,
    type: 'module',
    sideEffects: ['**/*.css', './waku/browser/*.js', './recorder/writer/writer-thread.js'],
    imports: { [conditional]: imports[conditional] },
  };
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * Packs `entries` and all that they name, from `root` into `folder`.
 * @param entries paths from `root`, with `/`
 */
export async function packModules(root: string, entries: readonly string[], folder: string): Promise<Packed> {
  const files = new Set(entries);
  const packages = new Map<string, UsedNames>();
  for (const file of files) {
    const target = path.join(folder, toPackedName(file));
    mkdirSync(path.dirname(target), { recursive: true });
    if (file.endsWith('.css')) {
      copyFileSync(path.join(root, file), target);
      continue;
    }
    const found = await packModule(root, file);
    for (const named of found.files) files.add(named);
    for (const [name, used] of found.packages) packages.set(name, addNames(packages.get(name), used));
    writeFileSync(target, found.code);
  }
  writeManifest(root, folder);
  const ofPackages: string[] = [];
  for (const [name, used] of packages) {
    ofPackages.push(...(await bundlePackage(name, used, path.join(folder, vendorFile(name)))));
  }
  return { files: [...files], ofPackages };
}
