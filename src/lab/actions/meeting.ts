import 'server-only';

/**
 * A gate that opens when three calls have arrived. Calls that are sent one after the other would never meet: each waits
 * for the next, and the next is only sent after its answer.
 */
const partySize = 3;
const waitMs = 5_000;
/** Keys come from outside. A waiting call holds a request open, and the server limits the number of open requests. */
const meetings = new Map<string, { arrived: number; readonly open: () => void; readonly opened: Promise<void> }>();

/** @returns how many had arrived when this call was let through: 3, or fewer when it waited for too long */
export async function meet(key: string): Promise<number> {
  let meeting = meetings.get(key);
  if (!meeting) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    meeting = {
      arrived: 0,
      opened: promise,
      open() {
        clearTimeout(timer);
        resolve();
      },
    };
    meetings.set(key, meeting);
  }
  meeting.arrived += 1;
  if (meeting.arrived === partySize) {
    meeting.open();
    meetings.delete(key);
  }
  await meeting.opened;
  if (meetings.get(key) === meeting) meetings.delete(key);
  return meeting.arrived;
}
