import 'server-only';

import { readTabBuilds } from '#src/flights/recorder/read-tab-builds.ts';
import { ownApp } from '#src/store/own-app.ts';

import type { ReceivedEvent } from '../event/read-event.ts';
import { formatStack } from '../event/read-event-frames.ts';
import { describeOldTab, oldTabName } from './old-tab.ts';

/**
 * A chunk that is gone, or an action that the build does not have, as a browser tells it. In a tab of an earlier build that is what a
 * deploy does, and no fault of its own. In a tab of the build that is served it is: a connection that was lost, or a file that was not
 * deployed.
 */
const names = new Set(['ChunkLoadError', 'UnrecognizedActionError']);
/** webpack's words for scripts and for styles, Turbopack's; then those of Chromium, Firefox and Safari, and Vite's for styles. */
const messages =
  /^(?:Loading (?:CSS )?chunk \S+ failed|Failed to load chunk |Failed to fetch dynamically imported module|error loading dynamically imported module|Importing a module script failed|Unable to preload CSS for )/;
const stackLimit = 4 * 1024;

/** @returns what it is told as; undefined where it is neither, or nothing shows that the tab is an earlier one */
export async function joinChunkError(event: ReceivedEvent, app: string): Promise<ReceivedEvent | undefined> {
  const { name, message, frames, traceId, release = '' } = event;
  if (app === ownApp || (!names.has(name) && !messages.test(message))) return undefined;
  const { loaded, served } = await readTabBuilds(app, traceId);
  const tabBuild = loaded || release;
  if (tabBuild === '' || served === '' || tabBuild === served) return undefined;
  const cause = { name, message, stack: formatStack(`${name}: ${message}`, frames, stackLimit), frames };
  return {
    ...event,
    name: oldTabName,
    message: describeOldTab(tabBuild, served),
    template: undefined,
    fingerprint: undefined,
    level: 'warning',
    frames: [],
    causes: [cause, ...event.causes],
  };
}
