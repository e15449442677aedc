import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { createServer } from 'vite';
import { describe, expect, it, onTestFinished } from 'vitest';

import { servedModules } from './served-modules.ts';
import { resolveFrames, resolveServedFrames } from './source-maps.ts';

function makeFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'source-maps-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A bundle of one line whose map says that its column 0 is line 2, column 2 of the source. */
function writeBundle() {
  const root = makeFolder();
  const folder = path.join(root, 'dist/server/assets');
  mkdirSync(folder, { recursive: true });
  const map = {
    version: 3,
    sources: ['../../../src/pages/broken.tsx', '../../../node_modules/react/index.js'],
    sourcesContent: ['export default function Broken() {\n  throw new Error("x");\n}\n', 'react'],
    names: [],
    // Segments: [0, source 0, line 1, column 2] and [20, source 1, line 0, column 0].
    mappings: 'AACE,oBCDF',
  };
  const file = path.join(folder, 'broken-abc.js');
  writeFileSync(file, 'throw new Error();   react();\n');
  writeFileSync(`${file}.map`, JSON.stringify(map));
  return { root, url: pathToFileURL(file).href };
}

describe('resolveFrames', () => {
  it('finds the source line, its neighbours, and whose code it is', () => {
    const { root, url } = writeBundle();
    const [own, react, node] = resolveFrames(
      [
        { fn: 'Broken', file: url, line: 1, column: 1 },
        { fn: 'render', file: url, line: 1, column: 22 },
        { fn: 'run', file: 'node:async_hooks', line: 346, column: 14 },
      ],
      root,
      { type: 'built', folder: path.join(root, 'dist/server') },
    );
    expect(own).toMatchObject({ source: 'src/pages/broken.tsx', line: 2, column: 3, inApp: true });
    expect(own?.context).toEqual({
      firstLine: 1,
      lines: ['export default function Broken() {', '  throw new Error("x");', '}', ''],
    });
    expect(react).toMatchObject({ source: 'node_modules/react/index.js', inApp: false });
    expect(react?.context).toBeUndefined();
    expect(node).toEqual({ fn: 'run', file: 'node:async_hooks', line: 346, column: 14, inApp: false });
  });

  it('takes a file of the project as its own source in dev', () => {
    const root = makeFolder();
    mkdirSync(path.join(root, 'src'));
    const file = path.join(root, 'src/dev.ts');
    writeFileSync(file, 'one\ntwo\n');
    const [frame] = resolveFrames([{ fn: 'f', file: `${file}?t=1`, line: 2, column: 1 }], root, { type: 'sources' });
    expect(frame).toMatchObject({ source: 'src/dev.ts', inApp: true, context: { firstLine: 1 } });
  });

  it('opens nothing but its own maps, whatever a stack names', () => {
    const { root, url } = writeBundle();
    const secret = path.join(root, '.env');
    writeFileSync(secret, 'SECRET=1\n');
    writeFileSync(
      path.join(root, 'evil.js.map'),
      '{"version":3,"sources":["x"],"sourcesContent":["SECRET=1"],"mappings":"AAAA"}',
    );
    mkdirSync(path.join(root, '.cache'));
    writeFileSync(path.join(root, '.cache/secret.js'), 'SECRET=1\n');
    const named = [
      secret,
      path.join(root, '.cache/secret.js'),
      root,
      path.join(root, 'evil.js'),
      'file://host/share/x.js',
      'file:///%2f',
      `${url}/../../../../.env`,
    ];
    const frames = named.map((file) => ({ fn: 'a', file, line: 1, column: 1 }));
    for (const origin of [{ type: 'sources' }, { type: 'built', folder: path.join(root, 'dist/server') }] as const) {
      const resolved = resolveFrames(frames, root, origin);
      expect(resolved.map(({ inApp, context }) => [inApp, context])).toEqual(named.map(() => [false, undefined]));
    }
  });

  it('does without a map that cannot be read', () => {
    const { root, url } = writeBundle();
    writeFileSync(path.join(root, 'dist/server/assets/broken-abc.js.map'), '{"version":3,"mapp');
    const [frame] = resolveFrames([{ fn: 'Broken', file: url, line: 1, column: 1 }], root, {
      type: 'built',
      folder: path.join(root, 'dist/server'),
    });
    expect(frame).toEqual({ fn: 'Broken', file: url, line: 1, column: 1, inApp: false });
  });
});

describe('resolveServedFrames', () => {
  it('finds the source of a module as Vite serves it, and of nothing else', async () => {
    const root = makeFolder();
    mkdirSync(path.join(root, 'src'));
    const lines = [
      'type Props = { a: string };',
      '',
      'export function pushTheButton({ a }: Props) {',
      '  throw a;',
      '}',
    ];
    writeFileSync(path.join(root, 'src/push.ts'), lines.join('\n'));
    const server = await createServer({
      root,
      configFile: false,
      logLevel: 'silent',
      plugins: [servedModules()],
      server: { middlewareMode: true, ws: false, watch: null },
    });
    onTestFinished(async () => {
      globalThis.__FLIGHT_SERVED_MODULES__ = undefined;
      await server.close();
    });
    const served = await server.environments.client.transformRequest('/src/push.ts');
    const before = served?.code.split('throw')[0]?.split('\n') ?? [];
    const position = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
    expect(position.line).not.toBe(4);
    const [own, other] = resolveServedFrames(
      [
        { fn: 'pushTheButton', file: '/src/push.ts', ...position },
        { fn: 'x', file: '/../push.ts', ...position },
      ],
      root,
    );
    expect(own).toEqual({
      fn: 'pushTheButton',
      file: '/src/push.ts',
      source: 'src/push.ts',
      line: 4,
      column: 3,
      inApp: true,
      context: { firstLine: 1, lines },
    });
    expect(other).toEqual({ fn: 'x', file: '/../push.ts', ...position, inApp: false });
  });
});
