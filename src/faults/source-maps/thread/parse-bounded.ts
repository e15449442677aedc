/**
 * What `JSON.parse` takes while it works is outside of the heap, so no limit of the thread holds it: 15 MB of `[` ended a process of
 * 256 MB. So what an uploader sent is looked through first: how deep it is nested, and how many values it has.
 */

/** A map of maps is nested five deep. */
const deepest = 64;
/** Brackets, commas and colons outside of texts. The largest maps that were seen have 300,000 names and sources. */
const mostParts = 500_000;

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

function findTextEnd(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let slashes = 0;
    while (json.charCodeAt(at - 1 - slashes) === backslash) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return json.length;
}

function isBounded(json: string): boolean {
  let depth = 0;
  let parts = 0;
  for (let at = 0; at < json.length; at += 1) {
    switch (json.charCodeAt(at)) {
      case quote:
        at = findTextEnd(json, at);
        break;
      case openBrace:
      case openBracket:
        depth += 1;
        parts += 1;
        break;
      case closeBrace:
      case closeBracket:
        depth -= 1;
        break;
      case comma:
      case colon:
        parts += 1;
        break;
    }
    if (depth > deepest || parts > mostParts) return false;
  }
  return true;
}

/** Returns undefined for what is no JSON, or costs too much. */
export function parseBounded(json: string): unknown {
  if (!isBounded(json)) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
