import type { Flight } from './flight.ts';
import { recordOf, type Framework } from './frameworks/framework-records.ts';
import type { KnownModule } from './modules.ts';

/**
 * Which client modules are the framework's own. A page names them whatever its author does, so nothing is to be said about
 * them. Production says no file, so they are told by what only a framework's modules have:
 *
 * - the path, in development and where a manifest of the build has it;
 * - an export that only a framework has;
 * - an id that such an export has too, or that only the framework's own file can have;
 * - in Next.js, the props that its router's components get and others do not; and of webpack's builds, no file of their own,
 *   because they are in those that every page loads.
 *
 * Others, such as Next.js's Link, may be missed: then they count as the app's. What each framework is told by stands in its record
 * (`frameworks/`).
 */

/**
 * In production @vitejs/plugin-rsc 0.5 gives a module the first 12 digits of a SHA-256: of the name that it is imported by where that is a
 * package's, else of its path from the app's folder.
 */
const hashedIds: ReadonlyMap<string, string> = new Map([
  ['6d786e16fc6b', 'waku/router/client'],
  ['cf187f3afe9a', 'waku/minimal/client'],
  ['847a2b1045ef', 'node_modules/waku/dist/minimal/client.js'],
  ['37eafacc3f00', 'react-router/internal/react-server-client'],
]);

/** The rows of the framework's own modules. */
export function findFrameworkModules(
  flight: Flight,
  framework: Framework | undefined,
  modules: readonly KnownModule[],
): ReadonlySet<number> {
  if (!framework) return new Set();
  const { modulePath, moduleExports, addedExports, findUsedModules } = recordOf(framework);
  const named = modules.filter(
    ({ module, name, source }) =>
      hashedIds.has(module) || moduleExports?.has(name) || modulePath.test(module) || modulePath.test(source ?? ''),
  );
  const ids = new Set(named.map(({ module }) => module));
  const all = modules.filter(({ module, name }) => ids.has(module) || addedExports?.has(name));
  return new Set([...all.map(({ row }) => row), ...(findUsedModules?.(flight, modules) ?? [])]);
}
