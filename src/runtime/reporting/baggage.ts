import { runtimeSettings } from '../settings.ts';

/**
 * The `baggage` header (https://www.w3.org/TR/baggage/): `key=value` members separated by commas, percent-encoded. The
 * limit counts characters of the encoded header, with the members of others. A member that would exceed it is left out
 * completely: half a member is wrong, and proxies answer 431 to a header that is too long.
 */
export type Baggage = ReadonlyMap<string, string>;

/** Members of a received header. What cannot be decoded is left out. Of equal keys, the last one counts. */
export function parseBaggage(header: string | null | undefined): Map<string, string> {
  const members = new Map<string, string>();
  if (!header || header.length > runtimeSettings.baggageMaxLength) return members;
  for (const member of header.split(',')) {
    const pair = member.split(';', 1)[0] ?? '';
    const equals = pair.indexOf('=');
    if (equals < 1) continue;
    const key = decodeMember(pair.slice(0, equals));
    const value = decodeMember(pair.slice(equals + 1));
    if (key && value !== undefined) members.set(key, value);
  }
  return members;
}

function decodeMember(text: string): string | undefined {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    // A wrong percent sign in another vendor's member; the other members are still good.
    return undefined;
  }
}

/** The header's text, at most `baggageMaxLength` characters; undefined when there is nothing to send. */
export function serializeBaggage(members: Baggage): string | undefined {
  let header = '';
  for (const [key, value] of members) {
    const member = `${encodeURIComponent(key)}=${encodeURIComponent(value)}`;
    const longer = header === '' ? member : `${header},${member}`;
    if (longer.length <= runtimeSettings.baggageMaxLength) header = longer;
  }
  return header === '' ? undefined : header;
}
