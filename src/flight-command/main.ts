import { runFlightCommand } from './run-flight-command.ts';

/** `npm run -s flight -- <file>`: runs from the sources, without a build, on Node's own type stripping. */
process.exitCode = await runFlightCommand(process.argv.slice(2), 'npm run -s flight --');
