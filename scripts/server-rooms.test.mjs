import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { build, createServer } from 'vite';

import { findKind, guardServerRooms, sharedWithBrowser } from './server-rooms.mjs';

const root = path.join(import.meta.dirname, '..');
let folder;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'server-rooms-')));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** A page that imports a component that imports `file`. */
function writeClient(file) {
  writeFileSync(
    path.join(folder, 'component.ts'),
    `import * as it from ${JSON.stringify(path.join(root, file))};
    console.log(it);`,
  );
  writeFileSync(path.join(folder, 'page.ts'), "import './component.ts';");
}

function createConfig() {
  return { configFile: false, root: folder, logLevel: 'silent', plugins: [guardServerRooms()] };
}

async function buildClient(file, environment = {}) {
  writeClient(file);
  const input = path.join(folder, 'page.ts');
  return build({ ...createConfig(), build: { write: false, rolldownOptions: { input }, ...environment } });
}

describe('the browser', () => {
  test.each([
    'src/store/compile-once.ts',
    'src/flights/flight/budget.ts',
    'src/flights/writer/flight-writer.ts',
    'src/server/http/log.ts',
    'packages/report/src/sender/create-sender.ts',
  ])('is built without %s, and the error names who imports it', async (file) => {
    await expect(buildClient(file)).rejects.toThrow(
      `${file} runs on the server alone and cannot be part of 'client':\n  imported by component.ts\n  imported by page.ts`,
    );
  });

  test('gets what it shares with the server', async () => {
    for (const file of sharedWithBrowser) {
      expect(existsSync(path.join(root, file))).toBe(true);
      await expect(buildClient(file)).resolves.toBeDefined();
    }
  });

  test('is refused the same in development', async () => {
    writeClient('src/store/compile-once.ts');
    const server = await createServer({ ...createConfig(), server: { middlewareMode: true, ws: false } });
    try {
      const { client } = server.environments;
      await client.transformRequest('/page.ts');
      await client.transformRequest('/component.ts');
      await expect(client.transformRequest(`/@fs${path.join(root, 'src/store/compile-once.ts')}`)).rejects.toThrow(
        "src/store/compile-once.ts runs on the server alone and cannot be part of 'client':\n  imported by component.ts\n  imported by page.ts",
      );
    } finally {
      await server.close();
    }
  });
});

describe('client components that are rendered on the server', () => {
  test('may know their request, and read no recording', async () => {
    await expect(buildClient('src/server/http/request-context.ts', { ssr: true })).resolves.toBeDefined();
    await expect(buildClient('src/flights/flight/budget.ts', { ssr: true })).rejects.toThrow("cannot be part of 'ssr'");
  });
});

test.each([
  ['src/flights/for-operator/queries.ts', 'server'],
  ['src/flights/recorder/recorder.ts', 'plain'],
  ['src/flights/middleware/receive-flights.ts', 'server'],
  ['src/faults/kept/queries.ts', 'server'],
  ['src/faults/source-maps/thread/maps-thread.ts', 'plain'],
  ['src/faults/interface/faults/fault-list.tsx', undefined],
  ['src/faults/actions/merge-faults.ts', undefined],
  ['src/apps/interface/sign.tsx', undefined],
  ['src/ui/moment.tsx', undefined],
])('%s is of the kind %s', (file, kind) => {
  expect(findKind(file)).toBe(kind);
});
