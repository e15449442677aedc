import { decodeFlight, decodeReply, listRowCauses, readReplyBody, type Flight, type SavedFlight } from '#flight';
import type { OpenedFlight } from '#viewer/opened-flight.ts';

const decoded = new WeakMap<SavedFlight, Flight>();

/** Decodes a flight of the file, once. */
export function decodeSaved(saved: SavedFlight): Flight {
  const known = decoded.get(saved);
  if (known) return known;
  const { direction, bytes } = saved;
  const flight =
    direction === 'response'
      ? decodeFlight(bytes, { moduleFiles: new Map(saved.sources) })
      : decodeReply(readReplyBody(bytes)).flight;
  decoded.set(saved, flight);
  return flight;
}

export function openSaved(saved: SavedFlight): OpenedFlight {
  const { title, facts, chunks, sizes, pageSource, response, serverTime } = saved;
  const flight = decodeSaved(saved);
  const requests = serverTime && listRowCauses(serverTime);
  const known = { title, facts, chunks, sizes, pageSource, response, requests };
  return { flight, bytes: flight.bytes, ...known };
}
