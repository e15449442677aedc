import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { advisories, listedOn } from './advisory-list.ts';
import { describeListAge, findWeaknesses, printWeaknesses } from './find-advisories.ts';
import { readInstalled } from './read-installed.ts';

function judge(name: string, version: string, within = '') {
  return findWeaknesses([{ name, version, within }]).map((found) => [
    found.advisories.map(({ id }) => id),
    found.fixed,
  ]);
}

describe('what is listed', () => {
  it.each([
    [
      '16.0.6',
      ['CVE-2025-55182', 'CVE-2025-55183', 'CVE-2025-55184', 'CVE-2026-23864', 'CVE-2026-23869', 'CVE-2026-23870'],
      '16.2.5',
    ],
    ['16.0.7', ['CVE-2025-55183', 'CVE-2025-55184', 'CVE-2026-23864', 'CVE-2026-23869', 'CVE-2026-23870'], '16.2.5'],
    ['15.5.14', ['CVE-2026-23869', 'CVE-2026-23870'], '15.5.16'],
    ['16.2.4', ['CVE-2026-23870'], '16.2.5'],
    ['14.2.35', ['CVE-2026-23864', 'CVE-2026-23869', 'CVE-2026-23870'], null],
  ])('next %s', (version, ids, fixed) => {
    expect(judge('next', version)).toEqual([[ids, fixed]]);
  });

  it.each(['15.5.16', '16.2.5', '16.4.6', '17.0.0', 'canary', ''])('nothing is known of next %s', (version) => {
    expect(judge('next', version)).toEqual([]);
  });

  it('of React each line has its own, and what is not listed is not said', () => {
    expect(judge('react-server-dom-webpack', '19.0.0')[0]?.[1]).toBe('19.0.6');
    expect(judge('react-server-dom-parcel', '19.1.6')).toEqual([[['CVE-2026-23870'], '19.1.7']]);
    expect(judge('react-server-dom-turbopack', '19.2.7')).toEqual([[['CVE-2026-44907'], '19.2.8']]);
    for (const version of ['19.2.8', '19.3.1', '19.0.6', '18.3.1']) {
      expect(judge('react-server-dom-webpack', version)).toEqual([]);
    }
    expect(judge('react-router', '7.9.0')).toEqual([]);
  });

  it('has a date and a source for each, and lines that are in order', () => {
    for (const { published, sources, affected } of advisories) {
      expect(published).toMatch(/^20\d\d-\d\d-\d\d$/);
      expect(published <= listedOn).toBe(true);
      expect(sources.length).toBeGreaterThan(0);
      for (const [from, below, fixed] of affected.flatMap(({ lines }) => lines)) {
        expect(from < below || from.length < below.length).toBe(true);
        expect(fixed === null || fixed === below).toBe(true);
      }
    }
  });

  it('is said in lines, with how old the list is', () => {
    const now = Date.parse(listedOn) + 40 * 24 * 60 * 60 * 1_000;
    expect(printWeaknesses([{ name: 'next', version: '16.2.4', within: '' }], now)).toEqual([
      'next 16.2.4 has CVE-2026-23870. next 16.2.5 mends it.',
      `The list of advisories is of ${listedOn}, 40 days old.`,
    ]);
    const copy = { name: 'react-server-dom-webpack', version: '19.2.7', within: '@vitejs/plugin-rsc 0.5.28' };
    expect(printWeaknesses([copy], now)[0]).toBe(
      'react-server-dom-webpack 19.2.7 in @vitejs/plugin-rsc 0.5.28 has CVE-2026-44907. ' +
        'react-server-dom-webpack 19.2.8 mends it: upgrade @vitejs/plugin-rsc, which brings its own.',
    );
    expect(printWeaknesses([{ name: 'next', version: '16.4.6', within: '' }], now)).toEqual([]);
    expect(describeListAge(0)).toContain('0 days old');
  });
});

describe('what is installed', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'flight-installed-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  function install(name: string, version: string, at = ''): void {
    const target = path.join(folder, at, 'node_modules', name);
    mkdirSync(target, { recursive: true });
    writeFileSync(path.join(target, 'package.json'), JSON.stringify({ name, version }));
  }

  it('is found from the app upward', () => {
    install('next', '16.0.6');
    mkdirSync(path.join(folder, 'apps/shop'), { recursive: true });
    expect(readInstalled(path.join(folder, 'apps/shop'))).toContainEqual({
      name: 'next',
      version: '16.0.6',
      within: '',
    });
    expect(readInstalled(path.join(folder, 'apps/shop/none'))).toHaveLength(readInstalled(folder).length);
  });

  it('is found where a package manager links a framework’s own, and the copy of the plugin where there is no other', () => {
    install('waku', '1.0.0', 'store/waku');
    install('@vitejs/plugin-rsc', '0.5.20', 'store/waku');
    const copy = path.join(folder, 'store/waku/node_modules/@vitejs/plugin-rsc/dist/vendor/react-server-dom');
    mkdirSync(copy, { recursive: true });
    writeFileSync(path.join(copy, 'package.json'), '{"version":"19.2.4"}');
    mkdirSync(path.join(folder, 'app/node_modules'), { recursive: true });
    symlinkSync(path.join(folder, 'store/waku/node_modules/waku'), path.join(folder, 'app/node_modules/waku'));
    expect(readInstalled(path.join(folder, 'app'))).toEqual([
      { name: 'waku', version: '1.0.0', within: '' },
      { name: '@vitejs/plugin-rsc', version: '0.5.20', within: '' },
      { name: 'react-server-dom-webpack', version: '19.2.4', within: '@vitejs/plugin-rsc 0.5.20' },
    ]);
    install('react-server-dom-webpack', '19.2.8', 'app');
    expect(readInstalled(path.join(folder, 'app')).at(-1)).toEqual({
      name: 'react-server-dom-webpack',
      version: '19.2.8',
      within: '',
    });
  });

  it('a manifest that cannot be read is none', () => {
    install('next', '16.0.6');
    writeFileSync(path.join(folder, 'node_modules/next/package.json'), '{');
    expect(readInstalled(folder)).toEqual([]);
  });
});
