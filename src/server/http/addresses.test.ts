import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';

import { expect, it } from 'vitest';

import { receiverPath } from '#report/sender/receiver-path.ts';

import { productPaths } from '../../../scripts/product-paths.mjs';
import * as addresses from './addresses.ts';

const pages = path.join(import.meta.dirname, '../../pages');

/** What a page's file answers: `[id]` is any one part of the path, `(group)` none, `_api` and `index` neither. */
function toPattern(file: string): RegExp {
  const parts = file
    .replace(/\.tsx?$/, '')
    .split(path.sep)
    .filter((part) => part !== '_api' && part !== 'index' && !part.startsWith('('));
  return new RegExp(`^/${parts.map((part) => (part.startsWith('[') ? '[^/]+' : part)).join('/')}$`);
}

/** Answered by the middleware, or a file of the public folder. */
const elsewhere = [
  addresses.faviconPath,
  addresses.logoutPath,
  addresses.healthPath,
  addresses.readyPath,
  addresses.metricsPath,
  addresses.cspReportPath,
  addresses.feedbackPath,
  addresses.tunnelPath,
  addresses.usagePath,
  addresses.toldPath,
  addresses.appAnnouncementPath,
  addresses.readApiPath,
  addresses.readApiAddress('faults'),
  addresses.appErrorsPath('shop'),
  addresses.appFlightsPath('shop'),
  addresses.appTracesPath('shop'),
  addresses.uploadApiPath,
  addresses.sdkEnvelopePath('2'),
  addresses.sdkStorePath('2'),
];

const { mountPath, experimentPath, digestPath, flightVisitPath, flightPath, flightDiffPath, ...others } = addresses;
const {
  errorPath,
  flightPayloadPath,
  flightExportPath,
  flightOneFilePath,
  flightOfRequestPath,
  appErrorsPath,
  appFlightsPath,
  appTracesPath,
  sdkEnvelopePath,
  sdkStorePath,
  appBuildsPath,
  appPath,
  appStatePath,
  faultPath,
  readApiAddress,
  recorderPages,
  ...fixed
} = others;

/** One of each, without the mount path. */
const known = [
  ...Object.values(fixed),
  digestPath('3F7K2-M9QRT'),
  errorPath('shop.4bf92f3577b34da6a3ce929d0e0e4736'),
  faultPath('7k3m9qrt'),
  flightVisitPath('trace-1'),
  flightPath(7),
  flightPayloadPath(7),
  flightExportPath(7),
  flightOneFilePath(7),
  flightDiffPath(7, 8),
  flightOfRequestPath('4bf92f3577b34da6a3ce929d0e0e4736'),
  appPath('shop'),
  appBuildsPath('shop'),
  appStatePath('shop'),
  appErrorsPath('shop'),
  readApiAddress('faults'),
  appFlightsPath('shop'),
  appTracesPath('shop'),
  sdkEnvelopePath('2'),
  sdkStorePath('2'),
].map((address) => address.slice(mountPath.length));

/** Pages of the framework, which no link leads to, and the pages of experiments, whose names `experimentPath` is given. */
const files = globSync('**/*.{ts,tsx}', { cwd: pages }).filter(
  (file) =>
    !['_root.tsx', '404.tsx'].includes(file) && !/(?:^|\/)(?:lab|_components)\/./.test(file.replaceAll(path.sep, '/')),
);
const patterns = [...files.map(toPattern), /^\/lab$/];

it('has a page for each address, and an address for each page', () => {
  expect(known.length).toBeGreaterThan(20);
  const outside = new Set(elsewhere.map((address) => address.slice(mountPath.length)));
  const lost = known.filter((address) => !outside.has(address) && !patterns.some((pattern) => pattern.test(address)));
  expect(lost).toEqual([]);
  expect(patterns.filter((pattern) => !known.some((address) => pattern.test(address)))).toEqual([]);
});

it('knows each page of the recorder, so that looking at one is not recorded', () => {
  const firsts = new Set(files.map((file) => (file.split(path.sep)[0] ?? '').replace(/\.tsx?$/, '')));
  const ofApps = new Set(['_api', 'index', 'lab', 'runtime']);
  const named = recorderPages.map((page) => page.slice(mountPath.length + 1));
  expect([...firsts].filter((first) => !ofApps.has(first)).toSorted()).toEqual(named.toSorted());
});

it('has a page for each experiment that a link names', () => {
  const source = path.join(import.meta.dirname, '../..');
  const named = globSync('**/*.{ts,tsx}', { cwd: source, exclude: ['**/*.test.*'] }).flatMap((file) =>
    Array.from(
      readFileSync(path.join(source, file), 'utf8').matchAll(/experimentPath\('([^']*)'/g),
      ([, name]) => name,
    ),
  );
  expect(named.length).toBeGreaterThan(15);
  const ofLab = [...globSync('{lab,_api/lab}/*', { cwd: pages }), ...globSync('lab/*.tsx', { cwd: source })];
  const lab = new Set(ofLab.map((file) => path.parse(file).name));
  expect(named.filter((name) => name === undefined || !lab.has(name))).toEqual([]);
});

it('is mounted by one constant', async () => {
  const source = readFileSync(path.join(import.meta.dirname, 'addresses.ts'), 'utf8');
  const mounted = stripTypeScriptTypes(source.replace("mountPath: string = ''", "mountPath = '/recorder'"));
  const module: Record<string, unknown> = await import(`data:text/javascript,${encodeURIComponent(mounted)}`);
  const values = Object.values(module)
    .map((value) => (typeof value === 'function' ? value('x', 'y') : value))
    .flat();
  expect(values.length).toBeGreaterThan(24);
  expect(values.filter((value) => !String(value).startsWith('/recorder'))).toEqual([]);
});

it('encodes what stands in the place of a parameter', () => {
  expect(digestPath('2338734591@E394%41')).toBe('/digest/2338734591%40E394%2541');
  expect(digestPath('../lab?x#y')).toBe('/digest/..%252Flab%253Fx%2523y');
  expect(flightVisitPath('a/b')).toBe('/flights/visit/a%2Fb');
  expect(flightPath('1/2')).toBe('/flights/1%2F2');
  expect(experimentPath('prefetch', 3)).toBe('/lab/prefetch/3');
  expect(experimentPath('a b')).toBe('/lab/a%20b');
});

it('takes errors where what other apps install sends them', () => {
  expect(appErrorsPath('my app')).toBe(mountPath + receiverPath('my app'));
});

it('is known whole to the lint rule that finds an address elsewhere', () => {
  const first = new Set([...known, '/lab'].map((address) => address.split('/')[1] ?? '').filter(Boolean));
  expect([...first].toSorted()).toEqual([...productPaths].toSorted());
});
