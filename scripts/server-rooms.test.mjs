import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { build, createServer } from 'vite';

import { findRoomKind, guardServerRooms, sharedWithBrowser } from './server-rooms.mjs';

const sources = path.join(import.meta.dirname, '../src');
let folder;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'server-rooms-')));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** A page that imports a component that imports `file`. */
function writeClient(file) {
  writeFileSync(
    path.join(folder, 'component.ts'),
    `import * as it from ${JSON.stringify(path.join(sources, file))};
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
  test.each(['store/compile-once.ts', 'recorder/budget.ts', 'recorder/writer/flight-writer.ts', 'http/log.ts'])(
    'is built without src/%s, and the error names who imports it',
    async (file) => {
      await expect(buildClient(file)).rejects.toThrow(
        `src/${file} runs on the server alone and cannot be part of 'client':\n  imported by component.ts\n  imported by page.ts`,
      );
    },
  );

  test('gets what it shares with the server', async () => {
    for (const file of sharedWithBrowser) {
      expect(existsSync(path.join(sources, file))).toBe(true);
      await expect(buildClient(file)).resolves.toBeDefined();
    }
  });

  test('is refused the same in development', async () => {
    writeClient('store/compile-once.ts');
    const server = await createServer({ ...createConfig(), server: { middlewareMode: true, ws: false } });
    try {
      const { client } = server.environments;
      await client.transformRequest('/page.ts');
      await client.transformRequest('/component.ts');
      await expect(client.transformRequest(`/@fs${path.join(sources, 'store/compile-once.ts')}`)).rejects.toThrow(
        "src/store/compile-once.ts runs on the server alone and cannot be part of 'client':\n  imported by component.ts\n  imported by page.ts",
      );
    } finally {
      await server.close();
    }
  });
});

describe('client components that are rendered on the server', () => {
  test('may know their request, and read no recording', async () => {
    await expect(buildClient('http/request-context.ts', { ssr: true })).resolves.toBeDefined();
    await expect(buildClient('recorder/budget.ts', { ssr: true })).rejects.toThrow("cannot be part of 'ssr'");
  });
});

test('what reads the recording for pages says so itself', () => {
  expect(findRoomKind('recorder/for-operator/queries.ts')).toBe('server-only');
  expect(findRoomKind('recorder/recorder.ts')).toBe('plain');
  expect(findRoomKind('components/page.tsx')).toBeUndefined();
});
