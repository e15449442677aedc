/** A click brings what these leave open. What a click itself asked for, or an action, nothing completes. */
const completedLater: ReadonlySet<string> = new Set(['prefetch', 'navigation-or-prefetch', 'slice']);

/**
 * Whether the connection of a recorded response broke; false where the server left holes on purpose. Undefined where the bytes alone
 * have to say it: `ResponseFacts` has it as `isCut`.
 * @param kind of the request, as a flight file has it
 * @param outcome how the response ended, as a flight file has it
 */
export function isCutOff(kind: string, outcome: string): boolean | undefined {
  if (outcome === 'failed' || outcome === 'left') return true;
  return outcome === 'complete' && completedLater.has(kind) ? false : undefined;
}
