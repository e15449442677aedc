import { createHash } from 'node:crypto';
import { crc32, deflateRawSync } from 'node:zlib';

/** Bundles as the Sentry CLI makes them, for tests: a head, then a ZIP whose offsets count from the head's first byte. */
export type PackedFile = {
  readonly name: string;
  readonly content: string | Buffer;
  /** Written into the list in place of what is true. */
  readonly claims?: {
    readonly bytes?: number;
    readonly crc?: number;
    readonly flags?: number;
    readonly method?: number;
  };
};

function head(file: PackedFile, packed: Buffer, content: Buffer, method: number): Buffer {
  const { claims = {} } = file;
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(claims.flags ?? 0, 2);
  fields.writeUInt16LE(claims.method ?? method, 4);
  fields.writeUInt32LE(claims.crc ?? crc32(content), 10);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(claims.bytes ?? content.length, 18);
  fields.writeUInt16LE(Buffer.byteLength(file.name), 22);
  return fields;
}

function mark(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

/** @param before bytes in front of the archive */
export function packZip(files: readonly PackedFile[], before = ''): Buffer {
  const parts: Buffer[] = [Buffer.from(before)];
  const list: Buffer[] = [];
  let at = before.length;
  for (const file of files) {
    const content = Buffer.from(file.content);
    const packed = deflateRawSync(content);
    const name = Buffer.from(file.name);
    const fields = head(file, packed, content, 8);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(at, 10);
    list.push(mark('PK\x01\x02\x14\x00'), fields, tail, name);
    const entry = Buffer.concat([mark('PK\x03\x04'), fields, name, packed]);
    parts.push(entry);
    at += entry.length;
  }
  const entries = Buffer.concat(list);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...parts, entries, mark('PK\x05\x06'), end]);
}

/** `function fail() {` … on line 1, `throw` in line 2 of `src/app.ts`, the call of `fail` in line 4. */
export const exampleMap = {
  version: 3,
  file: 'app.min.js',
  sources: ['../src/app.ts'],
  sourcesContent: ["function fail() {\n  throw new Error('x');\n}\nfail();\n"],
  names: ['fail'],
  mappings: 'AAAA,SAASA,IACP,MAAM,IAAI,MAAM,GAAG,EAErBA',
};

/** `function a(){throw new Error("x")}a();`: where it throws, and where `a` is called. */
export const throwAt = { line: 1, column: 14 };
export const callAt = { line: 1, column: 35 };

export type ExampleScript = { readonly url: string; readonly debugId?: string; readonly map?: unknown };

/** A bundle with a script and its map for each. */
export function packBundle(scripts: readonly ExampleScript[], more: readonly PackedFile[] = []): Buffer {
  const files: Record<string, unknown> = {};
  const packed: PackedFile[] = [];
  for (const [index, { url, debugId, map = exampleMap }] of scripts.entries()) {
    const ofDebugId = debugId === undefined ? {} : { 'debug-id': debugId };
    const name = url.split('/').at(-1) ?? '';
    files[`files/${index}.js`] = { type: 'minified_source', url, headers: { ...ofDebugId, sourcemap: `${name}.map` } };
    files[`files/${index}.map`] = { type: 'source_map', url: `${url}.map`, headers: ofDebugId };
    packed.push({ name: `files/${index}.js`, content: 'function a(){throw new Error("x")}a();' });
    packed.push({ name: `files/${index}.map`, content: typeof map === 'string' ? map : JSON.stringify(map) });
  }
  return packZip([...packed, ...more, { name: 'manifest.json', content: JSON.stringify({ files }) }], 'SYSB\x02\0\0\0');
}

export function sha1(bytes: Uint8Array): string {
  return createHash('sha1').update(bytes).digest('hex');
}
