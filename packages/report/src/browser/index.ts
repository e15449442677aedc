import { start as startWith, type StartOptions } from './start.ts';

/** `flight-recorder/browser`: `start({ to, app, release })` in the entry of an app's browser side. */
export function start(options: StartOptions = {}): void {
  startWith(options, () => import('./second-part.ts'));
}

export type { StartOptions };
