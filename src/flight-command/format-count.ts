/** `1,084`: the same everywhere, whatever the machine's language. */
export function formatCount(number: number): string {
  return number.toLocaleString('en-GB');
}
