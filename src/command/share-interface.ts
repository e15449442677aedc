import type { RecorderAddress } from '#report/recorder-url.ts';
import type { AppAnnouncement } from '#src/apps/app-announcement.ts';
import { type Found, writeBase } from '#src/waku/beside/ask-for-app.ts';
import { keepInterface } from '#src/waku/beside/keep-interface.ts';
import { canListen, type OwnInterface, startOwnInterface } from '#src/waku/beside/own-interface.ts';

import { findDist } from './dist-folder.ts';
import { requireFreePort } from './ports.ts';
import { complain } from './usage.ts';

/**
 * The interface of an app under `run` or behind `proxy`. There is one for a data folder, and the first `run` starts it. When the
 * process that has it ends, another one goes on with it, at its port: bookmarks and what the apps were told stay right, and what
 * they tell meanwhile waits in their senders.
 */
export type SharedInterface = {
  /** Where the app's errors are sent now; while there is no interface, where they were sent last. */
  readonly readRecorder: () => RecorderAddress | undefined;
  readonly stop: () => Promise<void>;
};

type Sharing = {
  /** The data folder, absolute. */
  readonly folder: string;
  readonly app: string;
  /** How the operator's commands are typed here. */
  readonly program: string;
  /** Where this process starts it, when there is none. Undefined: it only goes on with another process's. */
  readonly uiPort?: number;
  /** No server had the folder a moment ago. */
  readonly isFree?: boolean;
  /** Called once, when it answers. @param own the one that this process has started */
  readonly onUp?: (found: Found, own: OwnInterface | undefined) => void;
  /** Called when it could not be started at first. Later it is tried again. */
  readonly onFailed?: (error: unknown) => void;
};

/** @throws with one line when the port that the person chose is not free */
async function choosePort(last: Found | undefined, uiPort: number | undefined): Promise<number> {
  if (!last) {
    if (uiPort !== undefined) await requireFreePort(uiPort, '--ui-port');
    return uiPort ?? 0;
  }
  // One that was mounted in an app had the app's address.
  const ports = last.mount === '' ? [last.place.port, uiPort] : [uiPort];
  for (const port of ports) if (port !== undefined && (await canListen(port))) return port;
  return 0;
}

export function shareInterface({ folder, app, program, uiPort, isFree, onUp, onFailed }: Sharing): SharedInterface {
  let recorder: RecorderAddress | undefined;
  let own: OwnInterface | undefined;
  let isUp = false;

  async function start(last: Found | undefined): Promise<OwnInterface> {
    try {
      const port = await choosePort(last, uiPort);
      own = await startOwnInterface({ dist: findDist(), folder, port, program });
      return own;
    } catch (error) {
      if (!isUp) onFailed?.(error);
      throw error;
    }
  }

  function tellUp(found: Found): void {
    if (!isUp) onUp?.(found, own);
    isUp = true;
  }

  const keeper = keepInterface({
    folder,
    app,
    startsFirst: uiPort !== undefined,
    ...(isFree === undefined ? {} : { isFree }),
    start,
    say(line) {
      if (isUp) complain(line);
      else onFailed?.(new Error(line));
    },
    onStarted(_started, found, last) {
      if (last) complain(`the interface goes on at ${found.origin}`);
    },
    onAnnounced(found, announcement: AppAnnouncement) {
      if (announcement.type === 'known') recorder = { base: writeBase(found), app, key: announcement.secretKey };
      tellUp(found);
    },
  });
  return { readRecorder: () => recorder, stop: keeper.stop };
}
