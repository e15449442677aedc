import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/**
 * packages/flight as a stranger has it: packed, and installed in an empty folder outside the repository, without a network.
 * Each example of its README is checked there by TypeScript as Node's and as a bundler's user has it, and those that print
 * something must print what stands beneath them.
 */
const root = path.join(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(tmpdir(), 'flight-package-'));
const installed = path.join(folder, 'node_modules/@flight-recorder/flight');
const readme = readFileSync(path.join(root, 'packages/flight/README.md'), 'utf8');

const examples = Array.from(
  readme.matchAll(/```ts\n([^]*?)```(?:\n\n```text\n([^]*?)```)?/g),
  ([, code = '', printed], index) => ({ name: `example-${index + 1}`, code, printed }),
);
const printing = examples.filter(({ printed }) => printed !== undefined);

/** The oldest Node that the package is for, where this machine has it, and the one that runs this. */
const nodes = new Map(
  [process.execPath, '/usr/local/bin/node', '/usr/bin/node'].filter(existsSync).flatMap((file) => {
    const version = execFileSync(file, ['--version'], { encoding: 'utf8' }).trim();
    return file === process.execPath || version.startsWith('v20.') ? [[version, file]] : [];
  }),
);

function write(name: string, content: string | object): void {
  writeFileSync(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
}

function npm(cwd: string, ...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('npm', words, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${words.join(' ')}: ${stderr}`);
  return stdout;
}

/** What the compiler says of the project; nothing when all is well. */
function compile(project: string, compilerOptions: object, files: readonly string[]): string {
  write(`${project}.json`, { compilerOptions: { strict: true, target: 'ES2022', ...compilerOptions }, files });
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [compiler, '-p', `${project}.json`], { cwd: folder, encoding: 'utf8' }).stdout;
}

/** Packs and installs it. @returns what is in the tarball */
function installPackage(): string[] {
  const packed = npm(path.join(root, 'packages/flight'), 'pack', '--json', '--pack-destination', folder);
  const [{ filename, files }] = JSON.parse(packed);
  npm(folder, 'install', path.join(folder, filename), '--offline', '--no-audit', '--no-fund', '--ignore-scripts');
  return Array.from(files, (file: { path: string }) => file.path);
}

let files: readonly string[] = [];

beforeAll(() => {
  write('package.json', { private: true, type: 'module' });
  files = installPackage();
  for (const { name, code } of examples) write(`${name}.ts`, code);
  write('door.ts', "export * from '@flight-recorder/flight';\n");
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

test('the tarball has the built door, README and licence, and nothing else', () => {
  expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/index.js']));
  const others = files.filter(
    (file) =>
      !/^(?:LICENSE|README\.md|package\.json|dist\/(?:(?:caches|frameworks|judge|secrets|server-time)\/)?[\w-]+\.(?:d\.ts|js))$/.test(
        file,
      ),
  );
  expect(others).toEqual([]);
  expect(files.filter((file) => /test|differential/.test(file))).toEqual([]);
  const { dependencies, exports } = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'));
  expect(dependencies).toBeUndefined();
  expect(Object.keys(exports)).toEqual(['.', './package.json']);
});

test('only the door can be imported', () => {
  write('inside.js', "await import('@flight-recorder/flight/dist/tape.js');\n");
  const { status, stderr } = spawnSync(process.execPath, ['inside.js'], { cwd: folder, encoding: 'utf8' });
  expect([status, stderr]).toEqual([1, expect.stringContaining('ERR_PACKAGE_PATH_NOT_EXPORTED')]);
});

describe('the examples of the README', () => {
  test('are there, and say what they print', () => {
    expect(printing.length).toBeGreaterThan(4);
    expect(examples.filter(({ code, printed }) => code.includes('console.log') !== (printed !== undefined))).toEqual(
      [],
    );
  });

  const withNode = { types: ['node'], typeRoots: [path.join(root, 'node_modules/@types')], skipLibCheck: true };
  const sources = examples.map(({ name }) => `${name}.ts`);

  test('and the door’s types are right for Node, for bundlers, and without either', { timeout: 60_000 }, () => {
    const forNode = { module: 'NodeNext', moduleResolution: 'NodeNext', lib: ['ES2023'], outDir: '.', ...withNode };
    expect(compile('node', forNode, sources)).toBe('');
    const forBundlers = { module: 'ESNext', moduleResolution: 'Bundler', lib: ['ES2023', 'DOM'], noEmit: true };
    expect(compile('bundler', { ...forBundlers, ...withNode }, sources)).toBe('');
    expect(compile('door', { ...forBundlers, lib: ['ES2022'], types: [] }, ['door.ts'])).toBe('');
  });

  test.each(Array.from(nodes.keys(), (version) => [version]))('print what they show, with Node %s', (version) => {
    for (const { name, printed } of printing) {
      const { stdout, stderr } = spawnSync(nodes.get(version) ?? '', [`${name}.js`], { cwd: folder, encoding: 'utf8' });
      expect({ name, stdout, stderr }).toEqual({ name, stdout: printed, stderr: '' });
    }
  });
});

test('it can be bundled for a browser: nothing of Node in it, and the size is what the README says', async () => {
  const rolldownOptions = {
    input: path.join(folder, 'door.ts'),
    preserveEntrySignatures: 'strict' as const,
    onwarn: (warning: { message?: string }) => expect.unreachable(warning.message),
  };
  const result = await build({
    configFile: false,
    root: folder,
    logLevel: 'silent',
    build: { rolldownOptions, modulePreload: false, write: false },
  });
  const output = 'output' in result ? result.output : [];
  const code = output.map((chunk) => ('code' in chunk ? chunk.code : '')).join('\n');
  expect(code).toContain('decodeFlight');
  expect(code.match(/["'`]node:|\bimport\b|\b(?:process|Buffer|require|global|__dirname)\b/)?.[0]).toBeUndefined();
  const sizes = [code.length, gzipSync(code).length].map((bytes) => Math.round(bytes / 1000));
  const said = /(\d+) kB \((\d+) kB with gzip\)/.exec(readme)?.slice(1).map(Number) ?? [];
  // Within 3 kB, so that a line of code is no line of documentation. What the README says stands in the place of a size that is near it.
  const near = sizes.map((size, index) => (Math.abs(size - (said[index] ?? 0)) < 3 ? said[index] : size));
  expect(near).toEqual(said);
});
