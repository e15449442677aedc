import type { IncomingMessage } from 'node:http';

import { type AppAnnouncement, type AppBuild, readAppAnnouncement } from '#src/apps/app-announcement.ts';
import { appAnnouncementPath, mountPath } from '#src/server/http/addresses.ts';
import { toConnectable } from '#src/server/http/server-settings.ts';
import { type Instance, readInstance, readMount } from '#src/store/instance-file.ts';
import { isAlive } from '#src/store/is-alive.ts';

import { askInterface, type Place } from './ask-interface.ts';

/** An interface that runs on the data folder, found by what it wrote there. */
export type Found = {
  readonly place: Place;
  readonly door: string;
  /** Where its pages stand; empty for a server of its own, which is mounted nowhere. */
  readonly mount: string;
  /** What people open. */
  readonly origin: string;
  /** The process of an app has started it. */
  readonly isBeside: boolean;
};

function toFound(instance: Instance): Found {
  const { address, door, origin, isBeside } = instance;
  const place = { hostname: toConnectable(address.hostname), port: address.port };
  return { place, door, mount: readMount(instance), origin, isBeside };
}

/** Where processes of this machine reach it, with its mount path. */
export function writeBase({ place, mount }: Pick<Found, 'place' | 'mount'>): string {
  const name = place.hostname.includes(':') ? `[${place.hostname}]` : place.hostname;
  return `http://${name}:${place.port}${mount}`;
}

/** Finds the interface by the word of the folder alone: it may be gone, or not answer yet. */
export function findInterface(folder: string): Found | undefined {
  const instance = readInstance(folder);
  if (instance?.state !== 'running' || instance.door === '' || instance.address.port === 0) return undefined;
  return isAlive(instance.pid) ? toFound(instance) : undefined;
}

/** Far longer than it takes, and soon enough to see that it hangs. */
const answerMs = 5_000;
/** An announcement has some 200 bytes. */
const longestAnswer = 10_000;

async function readText(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of answer) {
    if (!(piece instanceof Buffer)) continue;
    length += piece.length;
    if (length > longestAnswer) break;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/**
 * What the interface says of the app.
 * @param isNew the app is added when it is not there
 * @param build whose source maps the interface keeps
 * @returns undefined while it cannot say: it is just starting, or its database is busy
 * @throws with one line when it does not say it
 */
export async function askForApp(
  { place, door, mount }: Found,
  app: string,
  isNew: boolean,
  build: AppBuild | undefined,
): Promise<AppAnnouncement | undefined> {
  const path = mount + appAnnouncementPath.slice(mountPath.length);
  const query = new URLSearchParams({ app, ...(isNew ? { new: '1' } : {}), ...build });
  const answer = await askInterface(place, {
    method: 'POST',
    target: `${path}?${query.toString()}`,
    // The loopback address is always on the list of its names.
    headers: ['host', `127.0.0.1:${place.port}`, 'authorization', `Bearer ${door}`],
    body: undefined,
    signal: AbortSignal.timeout(answerMs),
  });
  const text = await readText(answer);
  if (answer.statusCode === 503) return undefined;
  if (answer.statusCode !== 200) throw new Error(`the interface answered with status ${answer.statusCode}`);
  const said: unknown = JSON.parse(text);
  const announcement = readAppAnnouncement(said);
  if (!announcement) throw new Error('the interface is of another version');
  return announcement;
}
