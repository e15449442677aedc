export function ThrowString(): never {
  throw 'canary-string: a string thrown on purpose';
}
