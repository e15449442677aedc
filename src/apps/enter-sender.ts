import { createGate } from '#src/server/http/gate.ts';

/**
 * Places for the bodies of those who have shown an app's key: up to a megabyte each, as slowly as the deadline allows. One app's key
 * never keeps another app's servers out.
 */
const places = createGate('senders', { limit: 32, sharedBy: 'app' });

/** @returns what gives the place back; undefined when there is none */
export function enterSender(app: string): (() => void) | undefined {
  return places.enter(app);
}
