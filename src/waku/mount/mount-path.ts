/** What stands for the mount path in the build that is copied to any one: nothing else in the build's files is spelled so. */
export const mountToken = '/__flight_mount__';

/** A proxy or a browser may hold a shorter path back than this; no app has a longer one. */
const longest = 200;
const segment = /^[\w.~-]+$/;

/** Folders that Waku's router does not take for a part of an address, and names that it takes off one. */
const reserved = /^(?:_api|_slices|_interceptors|_actions|_components|_hooks|_layout|_root|index|index\.html|404)$/i;

function isSegment(text: string): boolean {
  return segment.test(text) && text !== '.' && text !== '..';
}

/**
 * Where an interface may be mounted: a path whose text is the same in a URL, in a file's name, in JavaScript and in HTML, so that
 * it can be written in place of the token anywhere.
 * @throws with one line that says what is wrong
 */
export function checkMountPath(given: string): void {
  const refused = `${JSON.stringify(given.slice(0, longest))} cannot be a mount path:`;
  const [first, ...segments] = given.split('/');
  if (given.length > longest || first !== '' || segments.length === 0 || !segments.every(isSegment)) {
    throw new Error(`${refused} use segments of letters, digits and _ . ~ -, such as "/_flight"`);
  }
  const taken = segments.find((text) => reserved.test(text));
  if (taken !== undefined) {
    throw new Error(`${refused} ${JSON.stringify(taken)} is a name of Waku's own; use another one, such as "/_flight"`);
  }
}
