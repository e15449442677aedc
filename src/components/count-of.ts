import { formatCount } from '#flight';

/** `1 flight`, `1,234 flights`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
