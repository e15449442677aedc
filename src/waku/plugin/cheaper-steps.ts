import type { Plugin } from 'vite';

/**
 * Two steps of Waku's Node server that every request goes through, each with the same outcome for less:
 *
 * - It copies the whole environment, so that `getEnv` finds it, and each variable is asked of the system. `process.env` itself takes the
 *   copy's place. A variable that the app sets is there at once, and not from the next request on.
 * - It looks for a file of each page's name. Node makes an error with a stack where there is none, which is dropped. It is asked to
 *   say so without one.
 *
 * A version that is written differently stays as it is: slower by some hundredths. A test says whether the installed one is known.
 */
type Step = { readonly file: RegExp; readonly from: string; readonly to: string; readonly needs: string };

const setEnv = 'export function unstable_setAllEnv(newEnv) {';

const steps: readonly Step[] = [
  {
    file: /[/\\]waku[/\\]dist[/\\]lib[/\\]env\.js$/,
    from: setEnv,
    to: `${setEnv} if (newEnv === globalThis.process?.env) { globalThis.__WAKU_SERVER_ENV__ = newEnv; return; }`,
    needs: 'return globalThis.__WAKU_SERVER_ENV__?.[key];',
  },
  {
    file: /[/\\]@hono[/\\]node-server[/\\]dist[/\\]serve-static\.mjs$/,
    from: 'stats = statSync(path);',
    to: 'stats = statSync(path, { throwIfNoEntry: false });',
    needs: 'if (!stats) {',
  },
];

/** @returns undefined where nothing of it is known */
export function takeCheaperStep(code: string, id: string): string | undefined {
  const [file = id] = id.split('?');
  const step = steps.find((candidate) => candidate.file.test(file));
  if (!step || !code.includes(step.needs) || code.split(step.from).length !== 2) return undefined;
  return code.replace(step.from, step.to);
}

/** Built apps alone: a dev server answers one person. */
export function cheaperSteps(): Plugin {
  return {
    name: 'flight-recorder:cheaper-steps',
    apply: 'build',
    transform(code, id) {
      if (this.environment.name !== 'rsc') return undefined;
      const changed = takeCheaperStep(code, id);
      // On the same lines, so the map that is there stays right.
      return changed === undefined ? undefined : { code: changed, map: null };
    },
  };
}
