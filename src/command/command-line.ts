import { describeError, toPlainJson } from '#boundary';

import { version } from '../../package.json' with { type: 'json' };

import { type Command, WrongUse } from './command.ts';
import { commands } from './commands.ts';
import { complain, formatCall, formatHelp, formatOverview } from './usage.ts';

/**
 * The command line: finds the command that is named, explains it or runs it. Nothing of a command is loaded before it is run.
 */
const wrongUse = 2;

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).some((word) => word === '--help' || word === '-h');
}

async function runCommand(program: string, name: string, command: Command, args: readonly string[]): Promise<number> {
  const hint = `Try "${[program, name, '--help'].filter((word) => word !== '').join(' ')}".`;
  try {
    const status = await command.run(args, program);
    if (status !== undefined) return status;
    complain(`that is not how it is called: ${formatCall(program, name, command)}. ${hint}`);
    return wrongUse;
  } catch (error) {
    if (!(error instanceof WrongUse)) {
      complain(describeError(error));
      return 1;
    }
    complain(`${error.message}. ${hint}`);
    return wrongUse;
  }
}

/**
 * Runs the command that `argv` names.
 * @param program how the program is typed here
 * @returns the exit status: 2 for a command that does not exist or was called wrongly
 */
export async function runCommandLine(argv: readonly string[], program: string): Promise<number> {
  const [first = '', ...rest] = argv;
  if (first === '--version' || first === '-v') {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const isNamed = first !== '' && !first.startsWith('-');
  const [name, args] = isNamed ? [first, rest] : ['', argv];
  if (name === 'help' || (name === '' && asksForHelp(args))) {
    const [topic = ''] = name === 'help' ? args : [];
    const explained = topic === '' ? undefined : commands.get(topic);
    process.stdout.write(explained ? formatHelp(program, topic, explained) : formatOverview(program, commands));
    return 0;
  }
  const command = commands.get(name);
  if (!command) {
    complain(`there is no command ${toPlainJson(name)}. Try "${program} --help".`);
    return wrongUse;
  }
  if (!command.hasOwnHelp && asksForHelp(args)) {
    process.stdout.write(formatHelp(program, name, command));
    return 0;
  }
  return await runCommand(program, name, command, args);
}
