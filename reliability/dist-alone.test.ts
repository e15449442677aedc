import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, test } from 'vitest';

import { postReport } from './testing/post-report.ts';
import { runOperator } from './testing/run-operator.ts';
import { startServer } from './testing/start-server.ts';

test('the build runs where nothing else of the project is: no sources, no node_modules', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-dist-'));
  try {
    const dist = path.join(folder, 'dist');
    cpSync(path.join(import.meta.dirname, '../dist'), dist, { recursive: true });
    const dataFolder = path.join(folder, 'data');
    await using server = await startServer({ dataFolder, dist });
    const home = await fetch(`${server.origin}/`);
    expect([home.status, home.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    // Rendered now, with a client component on it; it is not a file of the build.
    const page = await fetch(`${server.origin}/runtime`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('</html>');
    expect((await fetch(`${server.origin}/lab/throw-before-shell`)).status).toBe(500);
    expect((await postReport(server.port, 0)).status).toBe(200);
    const backup = await runOperator({ dataFolder, dist }, 'backup', path.join(folder, 'backup.db'));
    expect(backup).toMatchObject({ code: 0, errors: '' });
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(server.lines().filter(({ text }) => text.includes('Cannot find'))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
