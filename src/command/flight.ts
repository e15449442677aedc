import { runFlightCommand } from '#inspect/flight-command/run-flight-command.ts';

import { readTemplate } from './read-template.ts';

/** `flight …`: it reads its arguments and explains itself, as it does without a build (`npm run -s flight --`). */
export function flight(args: readonly string[], program: string): Promise<number> {
  return runFlightCommand(args, `${program} flight`, readTemplate);
}
