import { operatorCommands } from '#src/access/operator-commands.ts';

import { type Command, plainStatuses } from './command.ts';
import { moveOptions, proxyOptions, runOptions, digestOptions, mcpOptions } from './options.ts';

/** Every command, in the order in which they are listed. Each is loaded when it is run. */

const serving: Command = {
  usage: [''],
  summary: 'serve the interface and receive what apps report',
  options: [],
  examples: [['', 'settings are variables: PORT, HOST, FLIGHT_DATA, …']],
  statuses: [
    ['0', 'stopped by a signal, everything answered'],
    ['1', 'it could not start; one line says why'],
    ['2', 'called wrongly'],
  ],
  run: async (args) => (await import('./serve.ts')).serve(args),
};

const run: Command = {
  usage: ['[options] -- <command of your app>'],
  summary: 'start your app with the recorder in front of it, and the interface beside it',
  options: runOptions,
  examples: [
    ['run -- next start', 'a Next.js app, as it runs in production'],
    ['run --port 8080 -- npm run dev', 'the app at another port, in development'],
    ['run --to http://localhost:5173 -- npm run dev', 'an app that chooses its port itself'],
  ],
  statuses: [
    ['n', 'that of the app; 128 and the number of the signal that ended it'],
    ['1', 'it could not start; one line says why'],
    ['2', 'called wrongly'],
    ['126', 'the command of the app cannot be run'],
    ['127', 'there is no such command'],
  ],
  run: async (args, program) => (await import('./run.ts')).run(args, program),
};

const proxy: Command = {
  usage: ['--to <url> [options]'],
  summary: 'put the recorder in front of an app that runs already',
  options: proxyOptions,
  examples: [
    ['proxy --to http://127.0.0.1:8080', 'http://localhost:3000 is then the app'],
    ['proxy --to unix:/run/app.sock --app shop', 'an app on a Unix socket'],
  ],
  statuses: [
    ['0', 'stopped by a signal, everything answered'],
    ['1', 'it could not start; one line says why'],
    ['2', 'called wrongly'],
  ],
  run: async (args, program) => (await import('./proxy.ts')).proxy(args, program),
};

const flight: Command = {
  usage: ['[options] <file | url | ->'],
  summary: 'print what is in a payload, a page, a HAR or at a URL',
  options: [],
  examples: [['flight page.html', 'what the Flight in a saved page is made of']],
  statuses: [
    ['0', 'it could be read'],
    ['1', 'it is malformed, or above a limit'],
    ['2', 'called wrongly, or it cannot be read'],
  ],
  run: async (args, program) => (await import('./flight.ts')).flight(args, program),
  hasOwnHelp: true,
};

const check: Command = {
  usage: ['[options] <url>'],
  summary: 'look at a site from outside: what its pages weigh, and what is wrong with them',
  options: [],
  examples: [['check http://localhost:3000', 'pages that are found from the first one, at most 40 requests']],
  statuses: [
    ['0', 'nothing of high severity was found'],
    ['1', 'something was; --fail-on sets how bad it has to be'],
    ['2', 'called wrongly, or the site does not answer'],
  ],
  run: async (args, program) => (await import('./check.ts')).check(args, program),
  hasOwnHelp: true,
};

const compare: Command = {
  usage: ['[options] <base> <head>'],
  summary: 'say what changed in the payloads of an app, between two addresses or saved folders',
  options: [],
  examples: [['compare http://localhost:3000 http://localhost:3001', 'two states of an app that run at once']],
  statuses: [
    ['0', 'compared, and within the limits'],
    ['1', 'a limit is exceeded'],
    ['2', 'called wrongly, or there is nothing to compare'],
  ],
  run: async (args, program) => (await import('./compare.ts')).compare(args, program),
  hasOwnHelp: true,
};

const move: Command = {
  usage: ['--from <folder or url> --to <url or folder>'],
  summary: 'move everything from a data folder into PostgreSQL, or back',
  options: moveOptions,
  examples: [
    ['move --from ./data --to postgres://flight@db/flight', 'the server is stopped meanwhile'],
    ['move --from postgres://flight@db/flight --to ./data', 'and back'],
  ],
  statuses: plainStatuses,
  run: async (args) => (await import('./move.ts')).move(args),
};

const digest: Command = {
  usage: ['[options] <code>'],
  summary: 'print what is behind a digest',
  options: digestOptions,
  examples: [
    ['digest 3F7K2-M9QRT', 'the error, its cause, the line of the source'],
    ['digest 2338734591 --at 2026-11-23T15:04 --path /cart', 'which of many, by the time and the page'],
    ['digest 2338734591 --url https://flight.example', 'asked of a server elsewhere, with a token'],
  ],
  statuses: [
    ['0', 'found'],
    ['1', 'not found; digests that are near are listed'],
    ['2', 'called wrongly'],
    ['3', 'it could not be looked up; one line says why'],
  ],
  run: async (args) => (await import('./digest.ts')).digest(args),
};

const mcp: Command = {
  usage: ['[options]'],
  summary: 'serve the recording to a coding agent, by the Model Context Protocol',
  options: mcpOptions,
  examples: [
    ['mcp', 'the data on this machine, on standard input and output'],
    ['mcp --url https://flight.example', 'a server elsewhere, with a token'],
  ],
  statuses: [
    ['0', 'the agent closed its end'],
    ['1', 'it could not start; one line says why'],
    ['2', 'called wrongly'],
  ],
  run: async (args) => (await import('./mcp.ts')).mcp(args),
};

function toCommand({ usage, summary, run: runIt }: (typeof operatorCommands)[number]): Command {
  return {
    usage,
    summary,
    options: [],
    examples: [],
    statuses: plainStatuses,
    async run(args) {
      const status = await runIt(args);
      return status === 2 ? undefined : status;
    },
  };
}

export const commands: ReadonlyMap<string, Command> = new Map([
  ['', serving],
  ['run', run],
  ['proxy', proxy],
  ['flight', flight],
  ['check', check],
  ['compare', compare],
  ['move', move],
  ['digest', digest],
  ['mcp', mcp],
  ...operatorCommands.map((command) => [command.name, toCommand(command)] as const),
]);
