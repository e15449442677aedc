/** What React's Flight client says in place of a server's error in production: its text, or its number in a build (19.3). */
export const maskedText = /^(?:An error occurred in the Server Components render|Minified React error #441)\b/;

const compared = 200;
/** What is shorter is in any text. */
const leastContained = 8;

function toCompared(message: string): string {
  return message.trim().replace(/\s+/g, ' ').slice(0, compared);
}

/**
 * Whether two texts may be of one error. An app prints words of its own before a message, and React's text stands in place of any. Of
 * two errors with one digest, this tells the app's own from one that somebody else got printed.
 */
export function mayBeOfOne(one: string, other: string): boolean {
  if (maskedText.test(one) || maskedText.test(other)) return true;
  const [first, second] = [toCompared(one), toCompared(other)];
  if (Math.min(first.length, second.length) < leastContained) return first === second;
  return first.includes(second) || second.includes(first);
}
