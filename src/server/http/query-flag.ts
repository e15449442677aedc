/**
 * A part of a query without `=` is a flag (`?raw`, `?draft`, `?withPrices`), or a value that stands alone (`?9fK2x81`). It is taken for a
 * flag when it is one to three short words of letters. Names without their values, as the runtime and the reporters write them, are
 * such words, too.
 */
const flag = /^_{0,2}[a-z]{1,12}(?:[_-]?[A-Z]?[a-z]{1,12}){0,2}$/;
const longestFlag = 24;

export function isQueryFlag(part: string): boolean {
  return part.length <= longestFlag && flag.test(part);
}
