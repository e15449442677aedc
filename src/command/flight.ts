import { runFlightCommand } from '#src/flight-command/run-flight-command.ts';

/** `flight …`: it reads its arguments and explains itself, as it does without a build (`npm run -s flight --`). */
export function flight(args: readonly string[], program: string): Promise<number> {
  return runFlightCommand(args, `${program} flight`);
}
