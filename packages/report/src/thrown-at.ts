/**
 * Line and column of a stack's first frame, in the built file; empty where there is none. Next.js shortens paths, and not these. Nobody
 * sees them from outside.
 */
export function readThrownAt(stack: string): string {
  return /\n {4}at [^\n]{0,1000}?(:\d{1,9}:\d{1,9})\)?(?:\n|$)/.exec(stack)?.[1] ?? '';
}
