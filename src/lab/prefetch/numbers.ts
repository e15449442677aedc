import 'server-only';

const pageCount = 30;

/** Every third page is prerendered. */
export const isStatic = (number: number) => number % 3 === 0;

export const numbers = Array.from({ length: pageCount }, (_, index) => index + 1);

export const staticNumbers = numbers.filter(isStatic).map(String);

/** Whether `text` is the number of one of the pages. */
export function isPageNumber(text: string): boolean {
  return numbers.some((number) => String(number) === text);
}
