import { runFlightCommand } from './run-flight-command.ts';

/** The viewer is built. scripts/flight.mjs runs the built command for it. */
async function readTemplate(): Promise<string> {
  throw new Error('the viewer is not built here');
}

/** `npm run -s flight -- <file>`: runs from the sources, without a build, on Node's own type stripping. */
process.exitCode = await runFlightCommand(process.argv.slice(2), 'npm run -s flight --', readTemplate);
