import 'server-only';

const keyPattern = /^[a-z0-9-]{1,40}$/;

/** `?key=…` separates the counts of several visitors of one experiment. Without it, they share one. */
export function readVisitorKey(query: URLSearchParams): string {
  return toVisitorKey(query.get('key'));
}

export function toVisitorKey(value: unknown): string {
  return typeof value === 'string' && keyPattern.test(value) ? value : 'shared';
}
