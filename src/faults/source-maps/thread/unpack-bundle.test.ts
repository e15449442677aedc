import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import type { MapAnswer } from './messages.ts';
import { exampleMap, packBundle, packZip, sha1 } from './testing/pack-map.ts';
import { unpackMap } from './store-map.ts';
import { unpackBundle } from './unpack-bundle.ts';

const debugId = 'dfdad0f3-a5b7-5105-9f5f-2ff1dd00b74d';
const plainDebugId = debugId.replaceAll('-', '');

type Unpacked = { readonly answer: MapAnswer; readonly folder: string };

function unpack(bundle: Buffer, checksum = sha1(bundle)): Unpacked {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-bundle-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const parts = [bundle.subarray(0, 100), bundle.subarray(100)];
  const chunks = parts.map((part, index) => {
    const file = path.join(folder, `chunk-${index}`);
    writeFileSync(file, part);
    return file;
  });
  const answer = unpackBundle({ type: 'unpack', chunks, checksum, folder: path.join(folder, 'maps') });
  return { answer, folder: path.join(folder, 'maps') };
}

describe('unpackBundle', () => {
  it('stores the map of each script under its hash, and names the script', () => {
    const { answer, folder } = unpack(packBundle([{ url: '~/static/app.min.js', debugId }, { url: '~/b.js' }]));
    const [hash = ''] = readdirSync(folder);
    expect(answer).toEqual({
      type: 'stored',
      skipped: 0,
      maps: [
        { url: '~/static/app.min.js', debugId: plainDebugId, hash, bytes: expect.any(Number) },
        { url: '~/b.js', debugId: undefined, hash, bytes: expect.any(Number) },
      ],
    });
    expect(readdirSync(folder)).toEqual([hash]);
    expect(hash).toMatch(/^[\da-f]{64}$/);
    expect(JSON.parse(unpackMap(readFileSync(path.join(folder, hash))).toString())).toEqual(exampleMap);
  });

  it('skips a map that cannot be read, and takes the others', () => {
    const scripts = [{ url: '~/a.js', map: 'no JSON' }, { url: '~/b.js', map: { version: 3 } }, { url: '~/c.js' }];
    const { answer } = unpack(packBundle(scripts));
    expect(answer).toMatchObject({ type: 'stored', skipped: 2, maps: [{ url: '~/c.js' }] });
  });

  it("reads a debug id from the map, and takes a map whose script is not there by the map's own address", () => {
    const manifest = { files: { 'a.map': { type: 'source_map', url: '~/a.js.map', headers: {} } } };
    const files = [
      { name: 'a.map', content: `)]}'\n${JSON.stringify({ ...exampleMap, debug_id: debugId })}` },
      { name: 'manifest.json', content: JSON.stringify(manifest) },
    ];
    expect(unpack(packZip(files)).answer).toMatchObject({
      type: 'stored',
      maps: [{ url: '~/a.js.map', debugId: plainDebugId }],
    });
  });

  it('takes the map that a script carries in itself, where no other is listed', () => {
    const inline = `a();\n//# sourceMappingURL=data:application/json;base64,${btoa(JSON.stringify(exampleMap))}`;
    const files = {
      'a.js': { type: 'minified_source', url: '~/a.js', headers: { 'debug-id': debugId } },
      'b.js': { type: 'minified_source', url: '~/b.js', headers: { sourcemap: 'b.js.map' } },
      'b.map': { type: 'source_map', url: '~/b.js.map', headers: {} },
      'c.js': { type: 'minified_source', url: '~/c.js', headers: {} },
    };
    const bundle = packZip([
      { name: 'a.js', content: inline },
      { name: 'b.js', content: inline },
      { name: 'b.map', content: JSON.stringify({ ...exampleMap, file: 'b' }) },
      { name: 'c.js', content: 'c();' },
      { name: 'manifest.json', content: JSON.stringify({ files }) },
    ]);
    const { answer, folder } = unpack(bundle);
    if (answer.type !== 'stored') throw new Error('no map was stored');
    expect(answer.maps.map(({ url, debugId: id }) => [url, id])).toEqual([
      ['~/b.js', undefined],
      ['~/a.js', plainDebugId],
    ]);
    const [, { hash = '' } = {}] = answer.maps;
    expect(JSON.parse(unpackMap(readFileSync(path.join(folder, hash))).toString())).toEqual(exampleMap);
  });

  it('skips a map that is too large, before it is unpacked', () => {
    const files = {
      'a.map': { type: 'source_map', url: '~/a.js.map', headers: {} },
      'b.map': { type: 'source_map', url: '~/b.js.map', headers: {} },
    };
    const bundle = packZip([
      { name: 'a.map', content: JSON.stringify(exampleMap), claims: { bytes: 20 * 1024 * 1024 + 1 } },
      { name: 'b.map', content: JSON.stringify(exampleMap) },
      { name: 'manifest.json', content: JSON.stringify({ files }) },
    ]);
    expect(unpack(bundle).answer).toMatchObject({ type: 'stored', skipped: 1, maps: [{ url: '~/b.js.map' }] });
  });

  it('pairs a script with the map of its debug id where it names none', () => {
    const files = {
      'a.js': { type: 'minified_source', url: 'https://shop.example/a.js?v=1', headers: { 'Debug-Id': debugId } },
      'a.map': { type: 'source_map', url: '~/elsewhere.map', headers: { 'debug-id': debugId } },
    };
    const bundle = packZip([
      { name: 'a.map', content: JSON.stringify(exampleMap) },
      { name: 'manifest.json', content: JSON.stringify({ files }) },
    ]);
    expect(unpack(bundle).answer).toMatchObject({ type: 'stored', maps: [{ url: '~/a.js' }] });
  });

  it.each<[string, Buffer, string]>([
    ['that is no archive', Buffer.from('x'.repeat(200)), 'not a ZIP archive'],
    ['without a manifest', packZip([{ name: 'a', content: 'x'.repeat(200) }]), 'no manifest.json'],
    ['whose manifest is no JSON', packZip([{ name: 'manifest.json', content: '{' }]), 'manifest.json is not JSON'],
    ['whose manifest lists nothing', packZip([{ name: 'manifest.json', content: '{"files":[]}' }]), 'lists no files'],
    [
      'whose manifest lists more than a bundle can have',
      packZip([
        {
          name: 'manifest.json',
          content: JSON.stringify({
            files: Object.fromEntries(
              Array.from({ length: 10_001 }, (_, index) => [`f${index}`, { type: 'source_map', url: `~/${index}` }]),
            ),
          }),
        },
      ]),
      'lists more than 10000 files',
    ],
    ['without maps', packZip([{ name: 'manifest.json', content: '{"files":{}}' }]), 'has no source map'],
    ['whose maps are none', packBundle([{ url: '~/a.js', map: [] }]), 'none of the source maps could be read'],
  ])('refuses a bundle %s, and leaves nothing', (_, bundle, reason) => {
    const { answer, folder } = unpack(bundle);
    expect(answer).toEqual({ type: 'refused', reason: expect.stringContaining(reason) });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('refuses chunks that are not the bundle which was announced', () => {
    const bundle = packBundle([{ url: '~/a.js' }]);
    expect(unpack(bundle, 'f'.repeat(40)).answer).toMatchObject({
      type: 'refused',
      reason: expect.stringContaining('checksum'),
    });
  });
});
