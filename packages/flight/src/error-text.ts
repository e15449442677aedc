import {
  codedDollarKind,
  codedKind,
  dollarKind,
  endAt,
  itemsEnd,
  kindAt,
  nextAt,
  objectKind,
  pack,
  plainKind,
  startAt,
  stepAt,
  type Tape,
} from './tape.ts';

/**
 * An error row is plain JSON: React's client reads it with JSON.parse and nothing more, so `$ is not defined` is a message,
 * and not a form. Only these members are followed: the first since 19.2, the others since 19.3 (resolveErrorDev in the
 * clients).
 */
const revived = ['owner', 'cause', 'errors'].map((name) => new TextEncoder().encode(`"${name}"`));

/** Makes text of the `$` strings in the error row whose JSON is at `root` of the tape, but for what React follows. */
export function keepErrorText(tape: Tape, bytes: Uint8Array, root: number): void {
  if (kindAt(tape, root) !== objectKind) {
    makeText(tape, root, nextAt(tape, root));
    return;
  }
  const end = itemsEnd(tape, root);
  for (let key = root + 2; key < end; key = nextAt(tape, key + 2)) {
    if (!isRevived(tape, bytes, key)) makeText(tape, key + 2, nextAt(tape, key + 2));
  }
}

function isRevived(tape: Tape, bytes: Uint8Array, key: number): boolean {
  const start = startAt(tape, key);
  const length = endAt(tape, key, bytes) - start;
  return revived.some((name) => name.length === length && name.every((byte, index) => bytes[start + index] === byte));
}

function makeText(tape: Tape, from: number, end: number): void {
  for (let at = from; at < end; at = stepAt(tape, at)) {
    const kind = kindAt(tape, at);
    if (kind === dollarKind) tape.words[at] = pack(plainKind, startAt(tape, at));
    else if (kind === codedDollarKind) tape.words[at] = pack(codedKind, startAt(tape, at));
  }
}
