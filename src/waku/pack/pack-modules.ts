import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { parseSync, transformWithOxc } from 'vite';

import { isRecord } from '#boundary';

import { type Door, readDoor, takeThroughDoor } from './through-door.ts';
import { bundlePackage, isGiven, type UsedNames, vendorFile } from './vendor.ts';
import { isNode, readName, visit } from './walk-program.ts';

/**
 * The plugin for other Waku apps ships as JavaScript, module by module: the app's own build then sees each `'use client'`, drops
 * what the app does not use, and compiles for its own browsers. So the same modules that our own server is built from become
 * `dist/waku/inside/<path>.js`:
 *
 * - types and JSX are compiled away, because nothing strips types inside of `node_modules`;
 * - `#src/…` and the names of packages become relative, and every name of a module ends in `.js`. A module may be named in other places
 *   than an import (a thread's URL, `import.meta.viteRsc.import`), so each text in the code that is such a name is followed and rewritten;
 * - a package that does not come with Waku is bundled into a file of its own (vendor.ts): a packed Flight Recorder installs nothing.
 *
 * - comments go, which are for readers of the sources and are a quarter of them; those that bundlers read stay.
 *
 * `import.meta.env` stays: it is the app's.
 */
type Edit = { readonly start: number; readonly end: number; readonly code: string };

/** Modules and styles by their paths from the root, and the modules of packages by their whole paths. */
type Packed = { readonly files: readonly string[]; readonly ofPackages: readonly string[] };

const moduleName = /^(?:\.{1,2}\/|#(?:src|report|viewer)\/)[\w./-]+\.(?:tsx?|mjs|css)$/;
/** The one name of package.json's `imports` that stays: which module it is depends on the app's environment. */
const conditional = '#waku-errors';
/** Packages whose one door has no name of a file. */
const wholeDoor = /^#(flight|boundary)$/;
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

/** `src/server/http/log.ts` → `server/http/log.js`, `packages/flight/src/index.ts` → `packages/flight/index.js` */
function toPackedName(file: string): string {
  const name = file.replace(/^(packages\/[\w-]+)\/src\//, '$1/').replace(/^src\//, '');
  return name.replace(/\.tsx?$/, '.js');
}

function toRelative(from: string, to: string): string {
  const relative = path.posix.relative(path.posix.dirname(from), to);
  return relative.startsWith('.') ? relative : `./${relative}`;
}

function toFile(name: string, importer: string): string {
  const [, whole] = wholeDoor.exec(name) ?? [];
  if (whole !== undefined) return `packages/${whole}/src/index.ts`;
  const [, inPackage, rest] = /^#(report|viewer)\/(.*)$/.exec(name) ?? [];
  if (inPackage !== undefined) return `packages/${inPackage}/src/${rest}`;
  return name.startsWith('#src/') ? name.slice(1) : path.posix.join(path.posix.dirname(importer), name);
}

function applyEdits(code: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, { start, end, code: replaced }) => text.slice(0, start) + replaced + text.slice(end), code);
}

/** What a bundler reads: what has no effect, what it must not follow, whose rights these are. */
const toBundlers = /@vite-ignore|[@#]__(?:PURE|NO_SIDE_EFFECTS)__|@license|^!/;

type Found = {
  readonly code: string;
  readonly files: readonly string[];
  /** What is used of each package. */
  readonly packages: ReadonlyMap<string, UsedNames>;
};

/** Which names of a package a module uses: what it imports, and for `import * as all`, each `all.name`. */
function listUsedNames(program: unknown, name: string): UsedNames {
  const names = new Set<string>();
  const namespaces = new Set<string>();
  let isWhole = false;
  visit(program, (node) => {
    if (!('source' in node) || !isNode(node.source) || !('value' in node.source) || node.source.value !== name) return;
    if (node.type !== 'ImportDeclaration' || !('specifiers' in node) || !Array.isArray(node.specifiers)) {
      isWhole = true;
      return;
    }
    for (const specifier of node.specifiers) readSpecifier(specifier, names, namespaces);
  });
  if (namespaces.size > 0) {
    visit(program, (node) => {
      if (node.type !== 'MemberExpression' || !('object' in node) || !('property' in node)) return;
      const object = readName(node.object);
      const property = readName(node.property);
      if (object === undefined || !namespaces.has(object)) return;
      if (property === undefined || ('computed' in node && node.computed === true)) isWhole = true;
      else names.add(property);
    });
  }
  return isWhole ? 'all' : names;
}

function readSpecifier(specifier: unknown, names: Set<string>, namespaces: Set<string>): void {
  if (!isNode(specifier)) return;
  const local = 'local' in specifier ? readName(specifier.local) : undefined;
  const imported = 'imported' in specifier ? readName(specifier.imported) : undefined;
  if (specifier.type === 'ImportNamespaceSpecifier' && local !== undefined) namespaces.add(local);
  else names.add(imported ?? 'default');
}

async function compile(root: string, file: string): Promise<string> {
  const source = readFileSync(path.join(root, file), 'utf8');
  const { code } = await transformWithOxc(source, path.join(root, file), {
    sourcemap: false,
    jsx: { runtime: 'automatic', development: false },
    typescript: { onlyRemoveTypeImports: true },
  });
  return code;
}

/** By the file of the door. */
type Doors = Map<string, Door>;

async function openDoor(root: string, file: string, doors: Doors): Promise<Door> {
  const known = doors.get(file);
  if (known) return known;
  const { program } = parseSync(file, await compile(root, file), { sourceType: 'module' });
  const door = readDoor(program.body);
  doors.set(file, door);
  return door;
}

/** With its line, where nothing else stands on it. */
function takeLine(code: string, start: number, end: number): Pick<Edit, 'start' | 'end'> {
  const begin = code.lastIndexOf('\n', start - 1) + 1;
  const isAlone = /^[\t ]*$/.test(code.slice(begin, start)) && code[end] === '\n';
  return isAlone ? { start: begin, end: end + 1 } : { start, end };
}

/** One module, compiled, with its names rewritten, and what it names. */
async function packModule(root: string, file: string, doors: Doors): Promise<Found> {
  const code = await compile(root, file);
  const here = toPackedName(file);
  const edits: Edit[] = [];
  const files: string[] = [];
  const packages = new Map<string, UsedNames>();
  const { program, comments } = parseSync(here, code, { sourceType: 'module' });
  for (const { start, end, value } of comments) {
    if (!toBundlers.test(value)) edits.push({ ...takeLine(code, start, end), code: '' });
  }
  /** The names of doors, where what is taken through them is named instead. */
  const passed = new Set<number>();
  for (const statement of program.body) {
    const door = statement.type === 'ImportDeclaration' ? readText(statement.source) : undefined;
    if (!door || !wholeDoor.test(door.text)) continue;
    const doorFile = toFile(door.text, file);
    if (!existsSync(path.join(root, doorFile))) continue;
    const taken = takeThroughDoor(statement, await openDoor(root, doorFile, doors));
    if (!taken) continue;
    const imports = taken.map(({ from, names }) => {
      const named = toFile(from, doorFile);
      files.push(named);
      return `import { ${names.join(', ')} } from ${JSON.stringify(toRelative(here, toPackedName(named)))};`;
    });
    edits.push({ start: statement.start, end: statement.end, code: imports.join('\n') });
    passed.add(door.start);
  }
  visit(program, (node) => {
    const literal = readText(node);
    if (literal && !passed.has(literal.start) && (wholeDoor.test(literal.text) || moduleName.test(literal.text))) {
      const named = toFile(literal.text, file);
      // A text that only looks like a name: of a file that the build makes, or in a message.
      if (!existsSync(path.join(root, named))) return;
      files.push(named);
      edits.push({ ...literal, code: JSON.stringify(toRelative(here, toPackedName(named))) });
    }
    const imported = importNodes.has(node.type) && 'source' in node ? readText(node.source) : undefined;
    if (!imported || /^[.#]/.test(imported.text) || isGiven(imported.text)) return;
    packages.set(imported.text, listUsedNames(program, imported.text));
    edits.push({ ...imported, code: JSON.stringify(toRelative(here, vendorFile(imported.text))) });
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
    sideEffects: ['**/*.css', './waku/browser/*.js', './flights/writer/writer-thread.js'],
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
  const doors: Doors = new Map();
  for (const file of files) {
    const target = path.join(folder, toPackedName(file));
    mkdirSync(path.dirname(target), { recursive: true });
    if (file.endsWith('.css')) {
      copyFileSync(path.join(root, file), target);
      continue;
    }
    const found = await packModule(root, file, doors);
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
