import path from 'node:path';

import type { Plugin } from 'vite';

import { readVariable } from '#src/server/environment/variables.ts';
import { referenceSources, recorderThread } from '#src/flights/recorder/vite.ts';
import { servedModules } from '#src/runtime/errors/served-modules.ts';
import { tellChanges } from '#src/runtime/errors/vite.ts';
import { rendererHook } from '#src/runtime/renderer/vite.ts';
import { timedFunctions } from '#src/runtime/timing/vite.ts';
import { mountInterface } from '#src/waku/mount/mount-interface.ts';

import { setAddresses } from '../mount/vite.ts';
import { type AppFacts, readAppFacts } from './app-facts.ts';
import { cheaperSteps } from './cheaper-steps.ts';
import { devInterface, toDevFolder, type InterfaceOptions } from './dev-interface.ts';
import { environments } from './environments.ts';
import { hiddenMaps } from './hidden-maps.ts';
import { insideModules, interfaceFolderName } from './inside-modules.ts';
import { type FlightRecorderOptions, readOptions } from './options.ts';
import { findPackageFolder } from './package-folder.ts';
import { describeVersions } from './tried-versions.ts';

/** The interface in the app's `dist`, after everything else: a `dist` that is copied to a server is whole. */
function builtInterface({ options, facts, mountable }: InterfaceOptions): Plugin {
  return {
    name: 'flight-recorder:built-interface',
    apply: 'build',
    buildApp: {
      order: 'post',
      async handler() {
        const { dist, mountPath: mount } = facts();
        if (mount === undefined || options.to !== undefined) return;
        await mountInterface({ from: mountable, to: path.join(dist, interfaceFolderName), mount });
      },
    },
  };
}

const name = 'flight-recorder';

function describeAdapter(adapter: string): string {
  return (
    `flightRecorder(): ${adapter} is not Waku's Node adapter: there are no digests, no flights and no interface of this app. ` +
    'Its pages work as without Flight Recorder.'
  );
}

/** A plugin of the server's build, where its part is on: that is known when Vite has read its configuration. */
function onlyIf(isOn: () => boolean, plugin: Plugin): Plugin {
  return { ...plugin, applyToEnvironment: ({ name: environment }) => environment === 'rsc' && isOn() };
}

/** Flight Recorder in a Waku app: one entry of `vite.plugins` in its waku.config.ts. */
export function flightRecorder(given?: FlightRecorderOptions): Plugin[] {
  const options = readOptions(given);
  const packageFolder = findPackageFolder(import.meta.dirname);
  let known: AppFacts | undefined;

  function facts(): AppFacts {
    if (!known) throw new Error('flightRecorder(): Vite has not read its configuration yet');
    return known;
  }

  /** Errors of the server are resolved in the app itself, those of browsers where they are shown. */
  function readsMaps(environment: string): boolean {
    const { digests, reports } = facts().parts;
    return environment === 'client' ? reports : digests;
  }

  const isMounted = options.mount !== false && options.to === undefined;
  const interfaceOptions = { options, facts, mountable: path.join(packageFolder, 'dist/mounted') };
  return [
    {
      name,
      enforce: 'pre',
      async configResolved(config) {
        if (config.plugins.filter((plugin) => plugin.name === name).length > 1) {
          throw new Error('flightRecorder() stands twice in vite.plugins of waku.config.ts');
        }
        known = await readAppFacts(config, options);
        const versions = describeVersions(config.root, packageFolder);
        if (versions !== undefined) config.logger.warnOnce(versions);
        if (known.adapter !== 'node') config.logger.warnOnce(describeAdapter(known.adapter));
      },
    },
    rendererHook(() => facts().parts.digests || facts().parts.recorder),
    insideModules({ options, facts, devFolder: () => toDevFolder(facts()) }),
    setAddresses(() => {
      const { basePath, rscBase, reportsMount } = facts();
      return { mount: reportsMount, waku: basePath.replace(/\/$/, ''), rsc: rscBase };
    }),
    environments(
      { FLIGHT_INSIDE: isMounted ? 'mounted' : 'alone', FLIGHT_DIGESTS: options.parts.digests ? 'on' : 'off' },
      (root) => path.resolve(root, options.data ?? (readVariable('FLIGHT_DATA') || 'data')),
    ),
    onlyIf(() => facts().adapter === 'node', cheaperSteps()),
    hiddenMaps(() => facts().dist, readsMaps),
    onlyIf(() => facts().parts.recorder && facts().parts.serverTime, timedFunctions()),
    onlyIf(() => facts().parts.recorder, recorderThread()),
    onlyIf(() => facts().parts.recorder, referenceSources('may be empty')),
    servedModules(),
    tellChanges(),
    devInterface(interfaceOptions),
    builtInterface(interfaceOptions),
  ];
}
