import path from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Plugin } from 'vite';

import type { AppFacts } from './app-facts.ts';
import type { ReadOptions } from './options.ts';
import { ownName } from './package-folder.ts';
import { nameWaku } from './tried-versions.ts';
import { describeUnmetAdapter, describeUnmetEntry, noHooks, type MetHooks } from './unmet-hooks.ts';

/**
 * What `flight-recorder/waku` and the virtual modules are inside of the app's environments.
 *
 * - `flight-recorder/waku` itself: in Node it is this plugin, in the app its components.
 * - The adapter that the app's server entry imports (`waku/adapters/default` or `/node`, in Waku's own entry or in the app's) becomes
 *   ours, which wraps it. Ours imports the real one by another name, so nothing resolves to itself, whatever the importer is.
 * - `react-dom/client` becomes ours for the app's browser entry, Waku's or its own, which then hydrates with what the runtime adds.
 * - Packages that come with Waku are looked for from Waku's folder where the app cannot see them, as under pnpm.
 *
 * The build ends with an error where the adapter or the browser's entry was not met. Dev loads both with the first page, and may end
 * before that.
 */
const insideFolder = fileURLToPath(new URL('../../', import.meta.url));

const appDoor = fileURLToPath(new URL('../app/waku.ts', import.meta.url));
const plainDoor = fileURLToPath(new URL('../app/without-parts.tsx', import.meta.url));
const wrapper = fileURLToPath(new URL('../server/adapter.ts', import.meta.url));
const answerErrors = fileURLToPath(new URL('../server/answer-errors.ts', import.meta.url));
const leaveErrors = fileURLToPath(new URL('../server/leave-errors.ts', import.meta.url));
const startFlights = fileURLToPath(new URL('../server/start-flights.ts', import.meta.url));
const leaveFlights = fileURLToPath(new URL('../server/leave-flights.ts', import.meta.url));
const reportErrors = fileURLToPath(new URL('../browser/report-errors.ts', import.meta.url));
const leaveReports = fileURLToPath(new URL('../browser/leave-reports.ts', import.meta.url));
const reactDomClient = fileURLToPath(new URL('../browser/react-dom-client.tsx', import.meta.url));

const optionsId = 'virtual:flight-recorder/options';
const serverOptionsId = 'virtual:flight-recorder/server-options';
const handlersId = 'virtual:flight-recorder/handlers';
const flightsId = 'virtual:flight-recorder/flights';
const reportsId = 'virtual:flight-recorder/reports';
const realAdapterId = 'virtual:flight-recorder/adapter';
/** Waku's browser entry for an app that has none. */
const managedEntryId = '\0virtual:vite-rsc-waku/client-entry';

const adapterImport = /^waku\/adapters\/([\w-]+)$/;
const nodeAdapterFile = /[/\\]waku[/\\]dist[/\\]adapters[/\\]node\.js$/;
const withWaku = /^(?:hono|@hono\/node-server|@vitejs\/plugin-rsc|rsc-html-stream)(?:\/|$)/;

const realMark = 'flight-recorder:real';

export const interfaceFolderName = 'flight-recorder';

export type InsideOptions = {
  readonly options: ReadOptions;
  readonly facts: () => AppFacts;
  /** In dev, where the copy of the interface is. */
  readonly devFolder: () => string;
};

function writeConstants(constants: Record<string, unknown>): string {
  return Object.entries(constants)
    .map(([name, value]) => `export const ${name} = ${value === undefined ? 'undefined' : JSON.stringify(value)};`)
    .join('\n');
}

function withoutQuery(id: string): string {
  return id.split('?')[0] ?? id;
}

function isInside(file: string | undefined): boolean {
  return file !== undefined && path.normalize(withoutQuery(file)).startsWith(insideFolder);
}

/** Modules of the app's own: that of its browser entry is `waku.client.tsx` in its `srcDir`. */
function isBrowserEntry(importer: string | undefined, { root }: AppFacts): boolean {
  if (importer === undefined || importer === managedEntryId) return importer !== undefined;
  const file = path.relative(root, withoutQuery(importer));
  return !file.startsWith('..') && !path.isAbsolute(file) && !/(?:^|[/\\])node_modules[/\\]/.test(file);
}

/** Whether anything is left around the app's server. */
function hasServerParts({ mountPath, parts }: AppFacts): boolean {
  const { digests, recorder, actions, reports, strictActions, blockForged } = parts;
  const isChecked = strictActions || blockForged !== undefined;
  return mountPath !== undefined || digests || recorder || actions || reports || isChecked;
}

export function insideModules({ options, facts, devFolder }: InsideOptions): Plugin {
  function hasEntryParts(): boolean {
    const { digests, actions, reports } = facts().parts;
    return digests || actions || reports;
  }

  function hasBrowserParts(): boolean {
    const { recorder, navigation } = facts().parts;
    return hasEntryParts() || recorder || navigation;
  }

  const metBy = new Map<string, MetHooks>();
  const nobody = noHooks();

  return {
    name: 'flight-recorder:inside',
    enforce: 'pre',
    sharedDuringBuild: true,
    buildStart() {
      metBy.set(this.environment.name, noHooks());
    },
    async resolveId(source, importer, resolveOptions) {
      // Not `skipSelf`: Waku's plugin resolves one adapter as another, and the dev server fills in an importer. Neither is then the
      // same call any more, and ours would resolve to itself.
      if (resolveOptions.custom?.[realMark] === true) return undefined;
      const met = metBy.get(this.environment.name) ?? nobody;
      const asWithoutUs = { ...resolveOptions, custom: { ...resolveOptions.custom, [realMark]: true } };
      if (source === `${ownName}/waku`) return hasBrowserParts() ? appDoor : plainDoor;
      if (source === optionsId) return `\0${optionsId}`;
      if (source === serverOptionsId) {
        if (this.environment.name === 'rsc') return `\0${serverOptionsId}`;
        return this.error(`${serverOptionsId} is for the server, and ${importer ?? 'the page'} imports it`);
      }
      if (source === handlersId) return facts().parts.digests ? answerErrors : leaveErrors;
      if (source === flightsId) return facts().parts.recorder ? startFlights : leaveFlights;
      if (source === reportsId) return facts().parts.reports ? reportErrors : leaveReports;
      if (source === realAdapterId) return this.resolve('waku/adapters/node', undefined, asWithoutUs);
      if (source === 'react-dom/client' && this.environment.name === 'client') {
        if (!hasEntryParts()) return undefined;
        const isEntry = isBrowserEntry(importer, facts());
        if (isEntry) met.hasBrowserEntry = true;
        else if (!isInside(importer)) met.otherRoot = importer;
        return isEntry ? reactDomClient : undefined;
      }
      if (adapterImport.test(source) && this.environment.name === 'rsc' && hasServerParts(facts())) {
        const real = await this.resolve(source, importer, asWithoutUs);
        if (!real) return undefined;
        // Dev adds a query to what it has compiled ahead. Ours: Waku's plugin, which resolves one as another, has asked us again.
        const file = withoutQuery(real.id);
        const isNode = file === wrapper || nodeAdapterFile.test(file);
        if (isNode) met.hasAdapter = true;
        else met.otherAdapter = file;
        return isNode ? wrapper : real;
      }
      if (withWaku.test(source) && isInside(importer)) {
        const main = await this.resolve('waku', undefined, asWithoutUs);
        return main ? this.resolve(source, main.id, asWithoutUs) : undefined;
      }
      return undefined;
    },
    buildEnd(error) {
      const { name, mode } = this.environment;
      if (error || mode !== 'build') return;
      const known = facts();
      const met = metBy.get(name) ?? nobody;
      if (name === 'rsc' && hasServerParts(known)) {
        const text = describeUnmetAdapter(met, known, nameWaku(known.root));
        if (text !== undefined) this.error(text);
      }
      if (name === 'client' && hasEntryParts()) {
        const unmet = describeUnmetEntry(met, known, nameWaku(known.root), this.getModuleIds());
        if (unmet?.kind === 'failure') this.error(unmet.text);
        if (unmet) this.environment.logger.warnOnce(unmet.text);
      }
    },
    load(id) {
      const { mountPath, basePath, app, parts } = facts();
      if (id === `\0${optionsId}`) {
        return writeConstants({ mountPath, basePath, ...parts });
      }
      if (id === `\0${serverOptionsId}`) {
        const { data, to } = options;
        const built = this.environment.mode === 'build';
        const interfaceFolder = mountPath === undefined ? undefined : built ? interfaceFolderName : devFolder();
        return writeConstants({ app, data, to, interfaceFolder });
      }
      return undefined;
    },
  };
}
