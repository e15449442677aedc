import { expect, it } from 'vitest';

import { nameStartChunk } from './start-chunk.ts';

/** Each module with those that import it. */
const importers: Readonly<Record<string, readonly string[]>> = {
  'waku/entry.server.js': [],
  'src/writer-thread.ts': [],
  'src/maps-thread.ts': [],
  'src/log.ts': ['src/host.ts', 'src/log-line.ts'],
  'src/log-line.ts': ['src/log.ts'],
  'src/host.ts': ['waku/entry.server.js'],
  'src/page.tsx': [],
  'src/columns.ts': ['src/writer-thread.ts', 'src/host.ts'],
  'src/is-record.ts': ['src/maps-thread.ts', 'src/columns.ts'],
  'src/spans.ts': ['src/writer-thread.ts'],
  'src/styles.css?direct': ['src/host.ts'],
};

const modules = {
  getModuleInfo: (id: string) => ({ isEntry: /entry\.server|thread/.test(id), importers: importers[id] ?? [] }),
};

it.each([
  ['is loaded with the server, also in a circle', 'src/log-line.ts', 'start'],
  ['is loaded with the server and its writing thread', 'src/columns.ts', 'writer'],
  ['is loaded with all three', 'src/is-record.ts', null],
  ['is loaded with the writing thread alone', 'src/spans.ts', null],
  ['is loaded later', 'src/page.tsx', null],
  ['is a style sheet', 'src/styles.css?direct', null],
])('names the chunk of what %s', (_what, id, chunk) => {
  expect(nameStartChunk(id, modules)).toBe(chunk);
});
