import 'server-only';

import { describeError } from '#src/http/describe-error.ts';
import { escapeText, toPlainJson } from '#src/http/escape-text.ts';

import { backUp } from './commands/backup.ts';
import { checkHealth } from './commands/healthcheck.ts';
import { printLoginLink } from './commands/login-link.ts';
import { managePassword } from './commands/password.ts';
import { manageSessions } from './commands/sessions.ts';
import { restore } from './commands/restore.ts';
import { operatorCommand } from './operator-command.ts';

/**
 * The operator's command line. `operatorCommand` says how its commands are typed. A person who may run it may also read
 * and write the data folder, so it asks for no password.
 */
type Command = {
  /** The arguments, as they are typed after the program's name. */
  readonly usage: string;
  readonly summary: string;
  /**
   * @returns the exit code: 0 done, 1 not done, 2 called wrongly (the usage is then printed)
   * @throws when it could not be done; the message is printed as one line
   */
  readonly run: (args: readonly string[]) => Promise<number>;
};

const commands: Readonly<Record<string, Command>> = {
  'login-link': {
    usage: 'login-link',
    summary: 'print a link that signs in, once, within 15 minutes',
    run: printLoginLink,
  },
  password: {
    usage: 'password set',
    summary: 'set the password, typed, piped or from FLIGHT_PASSWORD_FILE, and sign everybody out',
    run: managePassword,
  },
  sessions: {
    usage: 'sessions list | revoke <id> | revoke --all',
    summary: 'who is signed in, and sign them out',
    run: manageSessions,
  },
  backup: { usage: 'backup <file>', summary: 'copy the database to a new file while the server runs', run: backUp },
  restore: {
    usage: 'restore <file>',
    summary: 'replace the database by a backup, while no server runs',
    run: restore,
  },
  healthcheck: {
    usage: 'healthcheck',
    summary: 'ask the running server if it is ready: exit 0 or 1',
    run: checkHealth,
  },
};

function formatUsage(listed: readonly Command[]): string {
  const width = Math.max(...listed.map((command) => command.usage.length));
  const lines = listed.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`);
  return `Usage: ${operatorCommand('<command>')}\n\n${lines.join('\n')}\n`;
}

/**
 * Runs the command that `argv` names.
 * @returns the exit code: 2 for a command that does not exist or was called wrongly
 */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const [name = '', ...args] = argv;
  if (['help', '--help', '-h'].includes(name)) {
    process.stdout.write(formatUsage(Object.values(commands)));
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    const problem = name ? `flight-recorder: there is no command ${toPlainJson(name)}\n` : '';
    process.stderr.write(`${problem}${formatUsage(Object.values(commands))}`);
    return 2;
  }
  try {
    const code = await command.run(args);
    if (code === 2) process.stderr.write(formatUsage([command]));
    return code;
  } catch (error) {
    process.stderr.write(`flight-recorder: ${escapeText(describeError(error))}\n`);
    return 1;
  }
}
