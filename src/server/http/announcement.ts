import { isRecord } from '#boundary';

/** What a server tells the process that started it, where that has a channel to it: `flight-recorder run` does. */
export type Announcement = {
  readonly type: 'listening';
  /** What people open: with the mount path where the server is mounted in another app. */
  readonly origin: string;
  /** Signs in, once. Undefined where nobody has to sign in, or the link could not be made. */
  readonly loginUrl: string | undefined;
};

export function tellParent(announcement: Announcement): void {
  process.send?.(announcement);
}

export function readAnnouncement(message: unknown): Announcement | undefined {
  if (!isRecord(message) || message['type'] !== 'listening') return undefined;
  const { origin, loginUrl } = message;
  if (typeof origin !== 'string') return undefined;
  return { type: 'listening', origin, loginUrl: typeof loginUrl === 'string' ? loginUrl : undefined };
}
