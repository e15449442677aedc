'use server';

/** @returns the sum, or a sentence when one of them is not a number: arguments come from anyone */
export async function addNumbers(first: unknown, second: unknown): Promise<number | string> {
  if (typeof first !== 'number' || typeof second !== 'number') return 'Two numbers, please.';
  return first + second;
}
