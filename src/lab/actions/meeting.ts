import 'server-only';

/**
 * A gate that opens when three calls stand before it. Calls sent one after the other would never meet: each would wait
 * for the next, which waits for its answer.
 */
const partySize = 3;
const waitMs = 5_000;
/** Keys come from outside; whoever waits here holds a request open, and those the server bounds. */
const meetings = new Map<string, { arrived: number; readonly open: () => void; readonly opened: Promise<void> }>();

/** @returns how many had arrived when this call was let through; 3, unless it waited in vain */
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
