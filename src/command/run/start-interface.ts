import { hasServer } from '#src/store/instance.ts';
import { writeBase } from '#src/waku/beside/ask-for-app.ts';

import { shareInterface, type SharedInterface } from '../share-interface.ts';

/** The interface beside an app (server-process.ts). */
export type Interface = SharedInterface & {
  /** Where people open it. */
  readonly origin: string;
  /** Where processes of this machine reach it. */
  readonly base: string;
  readonly loginUrl: string | undefined;
  readonly isShared: boolean;
};

export type InterfaceOptions = {
  readonly port: number;
  /** The data folder, absolute. */
  readonly folder: string;
  readonly app: string;
  /** How the operator's commands are typed here. */
  readonly program: string;
};

/**
 * Starts the interface, or joins the one that runs on the folder.
 * @throws with one line when it cannot start
 */
export async function startInterface({ port, folder, app, program }: InterfaceOptions): Promise<Interface> {
  const up = Promise.withResolvers<Omit<Interface, keyof SharedInterface>>();
  const shared = shareInterface({
    folder,
    app,
    program,
    uiPort: port,
    isFree: !hasServer(folder),
    onUp: (found, own) =>
      up.resolve({
        origin: found.origin,
        base: writeBase(found),
        loginUrl: own?.loginUrl,
        isShared: own === undefined,
      }),
    onFailed: up.reject,
  });
  try {
    return { ...(await up.promise), ...shared };
  } catch (error) {
    await shared.stop();
    throw error;
  }
}
