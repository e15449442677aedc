/**
 * Throw a string
 *
 * A server component throws a string instead of an Error.
 *
 * Look for: A digest like any other, although there is no stack: the string itself is the cause.
 */
export const group = 'Errors and their digests';
export const order = 3;
export const fails = true;

export default function ThrowString(): never {
  throw 'canary-string: a string thrown on purpose';
}
