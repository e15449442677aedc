import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { describeProcess, mapCauses, mapFrames, mapStack, type Running } from './map-frames.ts';

let root: string;
let startedAt: Running['startedAt'];

beforeEach(() => {
  startedAt = 'remade';
  root = mkdtempSync(path.join(tmpdir(), 'flight-app-'));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

const source = `import { connection } from 'next/server';

export default async function Boom() {
  await connection();
  throw new Error('Boom');
}
`;
/** Everything of the built line is at line 5, column 9 of the first source. */
const mappings = 'AAIQ';

function write(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
}

function writeMap(file: string, map: unknown): void {
  write(file, 'minified');
  write(`${file}.map`, typeof map === 'string' ? map : JSON.stringify(map));
}

const built = '.next/server/app/boom/page.js';
const plainMap = {
  version: 3,
  sources: ['../../../../app/boom/page.jsx'],
  sourcesContent: [source],
  names: [],
  mappings,
};

const encodedMap = Buffer.from(JSON.stringify(plainMap)).toString('base64');
const withMap = `minified\n//# sourceMappingURL=data:application/json;base64,${encodedMap}\n`;

function mapOne(file: string, line = 1, column = 1_596, fn = 'c') {
  return mapStack(`Error: Boom\n    at ${fn} (${file}:${line}:${column})`, 'Boom', { root, startedAt })[0];
}

it('leaves a frame as it is where no other map may be read, and asks only before it reads', () => {
  for (const name of ['a', 'b']) writeMap(`.next/server/app/${name}/page.js`, plainMap);
  const frame = (name: string) => ({
    fn: 'c',
    file: path.join(root, `.next/server/app/${name}/page.js`),
    line: 1,
    column: 1_596,
  });
  let left = 1;
  const mayRead = () => left-- > 0;
  const sources = (...names: readonly string[]) =>
    mapFrames(names.map(frame), { root, startedAt, mayRead }).map(({ inApp }) => inApp);
  expect(sources('a', 'b', 'a')).toEqual([true, false, true]);
  expect(sources('a')).toEqual([true]);
});

it('reads a file once for all frames of an error, and says how large it is', () => {
  write('a.js', source.repeat(100));
  const frame = { fn: 'c', file: path.join(root, 'a.js'), line: 5, column: 9 };
  const mayRead = vi.fn<(bytes: number) => boolean>(() => true);
  const reading = { root, startedAt, mayRead, sources: new Map() };
  const frames = mapFrames(
    Array.from({ length: 50 }, () => frame),
    reading,
  );
  expect(frames.filter(({ fn, inApp }) => fn === 'Boom' && inApp)).toHaveLength(50);
  // Those of its causes, too.
  expect(mapFrames([frame], reading)).toEqual([frames[0]]);
  expect(mayRead.mock.calls).toEqual([[source.length * 100]]);
  const [without] = mapFrames([frame], { root, startedAt, mayRead: () => false });
  expect(without).toMatchObject({ inApp: true, source: 'a.js' });
  expect(without?.context).toBeUndefined();
});

it('keeps many small maps, and drops the oldest where they are large', () => {
  const name = (at: number) => `.next/server/app/${at}/page.js`;
  const reads = vi.fn<(bytes: number) => boolean>(() => true);
  function readAll(count: number): void {
    for (let at = 0; at < count; at += 1) {
      mapFrames([{ fn: 'c', file: path.join(root, name(at)), line: 1, column: 1_596 }], {
        root,
        startedAt,
        mayRead: reads,
      });
    }
  }
  for (let at = 0; at < 30; at += 1) writeMap(name(at), plainMap);
  readAll(30);
  readAll(30);
  expect(reads).toHaveBeenCalledTimes(30);
  const large = { ...plainMap, sourcesContent: ['x'.repeat(3 * 1024 * 1024)] };
  for (let at = 0; at < 3; at += 1) writeMap(name(at), large);
  reads.mockClear();
  readAll(3);
  readAll(3);
  expect(reads).toHaveBeenCalledTimes(6);
});

it('maps the innermost frames of each cause', () => {
  writeMap(built, plainMap);
  const frames = Array.from({ length: 30 }, () => `    at c (${path.join(root, built)}:1:1596)`).join('\n');
  const [outer, thrown] = mapCauses(
    [
      { name: 'Error', message: 'no price', stack: `Error: no price\n${frames}` },
      { name: 'thrown string', message: 'closed', stack: '' },
    ],
    { root, startedAt },
  );
  expect(outer).toMatchObject({ name: 'Error', message: 'no price' });
  expect(outer?.frames).toHaveLength(10);
  expect(outer?.frames?.[0]).toMatchObject({ source: 'app/boom/page.jsx', line: 5, column: 9, inApp: true });
  expect(thrown?.frames).toEqual([]);
});

describe('a frame of a built file', () => {
  const found = {
    fn: 'Boom',
    source: 'app/boom/page.jsx',
    line: 5,
    column: 9,
    inApp: true,
    context: { firstLine: 1, lines: expect.arrayContaining(["  throw new Error('Boom');"]) },
  };

  it('gets its source, its lines and its function from the map beside it', () => {
    writeMap(built, plainMap);
    expect(mapOne(path.join(root, built))).toMatchObject(found);
    expect(mapOne(`file://${path.join(root, built)}`)).toMatchObject(found);
  });

  it('gets them from the map in it, unless there is one beside it', () => {
    write(built, withMap);
    expect(mapOne(path.join(root, built))).toMatchObject(found);
    write(`${built}.map`, JSON.stringify({ ...plainMap, sources: ['../../../../app/other.jsx'] }));
    expect(mapOne(path.join(root, built))?.source).toBe('app/other.jsx');
  });

  it('gets them from a map of sections', () => {
    writeMap(built, { version: 3, sections: [{ offset: { line: 0, column: 0 }, map: plainMap }] });
    expect(mapOne(path.join(root, built))).toMatchObject(found);
  });

  it.each([
    'webpack://_N_E/./app/boom/page.jsx',
    'webpack://shop/app/boom/page.jsx?1a2b',
    'turbopack:///[project]/app/boom/page.jsx',
    'turbopack:///%5Bproject%5D/app/boom/page.jsx',
  ])('has the path of its source where the map names it %s', (name) => {
    writeMap(built, { ...plainMap, sources: [name] });
    expect(mapOne(path.join(root, built))?.source).toBe('app/boom/page.jsx');
  });

  it('takes no class of the minifier’s for a name, which another build calls otherwise', () => {
    writeMap(built, { ...plainMap, sourcesContent: [source.replace('async function Boom() {', '{')] });
    expect(mapOne(path.join(root, built), 1, 1_596, 'g.total')?.fn).toBe('total');
    expect(mapOne(path.join(root, built), 1, 1_596, 'g.t')?.fn).toBe('');
    expect(mapOne(path.join(root, built), 1, 1_596, 'Cart.total')?.fn).toBe('Cart.total');
  });

  it('keeps the name that the stack has when it is no minified one', () => {
    writeMap(built, plainMap);
    expect(mapOne(path.join(root, built), 1, 9, 'Page.render')?.fn).toBe('Page.render');
  });

  it('is no code of the app when its source is a dependency’s or outside of the project', () => {
    for (const name of ['../../../../node_modules/x/index.js', '../../../../../other/x.js']) {
      writeMap(built, { ...plainMap, sources: [name] });
      expect(mapOne(path.join(root, built))).toMatchObject({ inApp: false });
      expect(mapOne(path.join(root, built))?.context).toBeUndefined();
      rmSync(path.join(root, `${built}.map`));
    }
  });

  it('stays as it is without a map, and with one that is broken', () => {
    write(built, 'minified');
    const plain = { fn: 'c', file: path.join(root, built), line: 1, column: 1_596, inApp: false };
    expect(mapOne(path.join(root, built))).toEqual(plain);
    writeMap(built, '{"version":3,"mappings":');
    expect(mapOne(path.join(root, built))).toEqual(plain);
  });

  it('is read anew after a build', () => {
    writeMap(built, '{');
    expect(mapOne(path.join(root, built))?.inApp).toBe(false);
    rmSync(path.join(root, `${built}.map`));
    writeMap(built, { ...plainMap, file: 'another' });
    expect(mapOne(path.join(root, built))).toMatchObject(found);
  });
});

/** As if the process had started a moment before `file` was put there. */
function startBefore(file: string): void {
  startedAt = statSync(path.join(root, file)).ctimeMs - 1;
}

describe('where the app was built again under a process that still runs', () => {
  const oldTime = new Date('2026-01-01');

  it.each([
    ['beside the file', () => writeMap(built, plainMap), `${built}.map`],
    ['in the file', () => write(built, withMap), built],
    ['whose time is older, as of a copy', () => writeMap(built, plainMap), `${built}.map`],
  ])('reads no map %s', (name, build, file) => {
    build();
    if (name.includes('copy')) utimesSync(path.join(root, file), oldTime, oldTime);
    startBefore(file);
    expect(mapOne(path.join(root, built))).toEqual({
      fn: 'c',
      file: path.join(root, built),
      line: 1,
      column: 1_596,
      inApp: false,
    });
    startedAt = statSync(path.join(root, file)).ctimeMs;
    expect(mapOne(path.join(root, built))).toMatchObject({ source: 'app/boom/page.jsx', line: 5 });
  });

  it('reads with the map that it knew of this process, also while the file is gone', () => {
    writeMap(built, plainMap);
    const there = statSync(path.join(root, `${built}.map`)).ctimeMs;
    startedAt = there;
    const found = { source: 'app/boom/page.jsx', line: 5 };
    expect(mapOne(path.join(root, built))).toMatchObject(found);
    rmSync(path.join(root, `${built}.map`));
    expect(mapOne(path.join(root, built))).toMatchObject(found);
    do writeMap(built, { ...plainMap, sources: ['../../../../app/other/page.jsx'] });
    while (statSync(path.join(root, `${built}.map`)).ctimeMs <= there);
    expect(mapOne(path.join(root, built))).toMatchObject(found);
    // Another process, of the build between: that map was never seen.
    startedAt = there + 1e-3;
    expect(mapOne(path.join(root, built))?.inApp).toBe(false);
    startedAt = 'unknown';
    expect(mapOne(path.join(root, built))?.inApp).toBe(false);
    startedAt = 'remade';
    expect(mapOne(path.join(root, built))).toMatchObject({ source: 'app/other/page.jsx', line: 5 });
  });

  it('shows no lines of a source that came later', () => {
    write('src/server.mjs', source);
    startBefore('src/server.mjs');
    const frame = mapOne(path.join(root, 'src/server.mjs'), 5, 9, 'Boom');
    expect(frame).toMatchObject({ source: 'src/server.mjs', line: 5, fn: 'Boom', inApp: true });
    expect(frame?.context).toBeUndefined();
  });
});

it('knows when this process started, but in development', () => {
  expect(describeProcess('/app')).toEqual({ root: '/app', startedAt: performance.timeOrigin });
  vi.stubEnv('NODE_ENV', 'development');
  expect(describeProcess('/app')).toEqual({ root: '/app', startedAt: 'remade' });
});

describe('a frame of a file that was not bundled', () => {
  it('is its own source', () => {
    write('src/server.mjs', source);
    expect(mapOne(path.join(root, 'src/server.mjs'), 5, 9, 'Boom')).toMatchObject({
      source: 'src/server.mjs',
      line: 5,
      inApp: true,
      context: { firstLine: 1 },
    });
  });

  it.each([
    ['outside of the project', '/etc/passwd'],
    ['above it', '../secret.js'],
    ['that is no code', '.env'],
    ['hidden', '.ssh/keys.js'],
    ['of a dependency', 'node_modules/x/index.js'],
    ['of Node', 'node:internal/timers'],
  ])('is not opened %s', (_name, file) => {
    write('.env', 'SECRET=hunter2');
    write('.ssh/keys.js', 'hunter2');
    write('node_modules/x/index.js', 'hunter2');
    const name = file.startsWith('/') || file.startsWith('node:') ? file : path.join(root, file);
    const [frame] = mapStack(`Error: x\n    at c (${name}:1:1)`, 'x', { root, startedAt });
    expect(frame).toMatchObject({ inApp: false });
    expect(frame?.context).toBeUndefined();
  });

  it('is not opened where it is a link that leads out of the project', () => {
    write('other/secret.js', 'hunter2');
    write('app/real/a.js', 'const a = 1;');
    const app = path.join(root, 'app');
    symlinkSync(path.join(root, 'other/secret.js'), path.join(app, 'linked.js'));
    symlinkSync(path.join(app, 'real'), path.join(app, 'within'));
    const read = (file: string) =>
      mapStack(`Error: x\n    at c (${path.join(app, file)}:1:1)`, 'x', { root: app, startedAt })[0]?.context;
    expect(read('linked.js')).toBeUndefined();
    expect(read('within/a.js')).toBeDefined();
  });
});

it('takes what a bundler wrote around the app for none of its frames', () => {
  writeMap('.next/server/middleware.js', { ...plainMap, sources: ['webpack://_N_E/?d2d4'] });
  const wrapper = mapOne(path.join(root, '.next/server/middleware.js'));
  expect(wrapper).toMatchObject({ line: 1, inApp: false });
  expect(wrapper?.context).toBeUndefined();
});

it('opens no map outside of the project', () => {
  const app = path.join(root, 'app');
  writeMap('other/page.js', plainMap);
  const [frame] = mapStack(`Error: x\n    at c (${path.join(root, 'other/page.js')}:1:1)`, 'x', {
    root: app,
    startedAt,
  });
  expect(frame).toMatchObject({ file: path.join(root, 'other/page.js'), line: 1, inApp: false });
});

it('takes source lines for the first five frames of the app', () => {
  write('a.js', source);
  const stack = Array.from({ length: 7 }, () => `    at f (${path.join(root, 'a.js')}:5:9)`).join('\n');
  const frames = mapStack(`Error: x\n${stack}`, 'x', { root, startedAt });
  expect(frames.map(({ context }) => context !== undefined)).toEqual([true, true, true, true, true, false, false]);
});
