import { runCompareCommand } from '#inspect/compare-command/run-compare-command.ts';

import { readTemplate } from './read-template.ts';

/** `compare …`: it reads its arguments and explains itself, as `flight` does. */
export function compare(args: readonly string[], program: string): Promise<number> {
  return runCompareCommand(args, `${program} compare`, readTemplate);
}
