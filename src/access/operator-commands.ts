import 'server-only';

/**
 * The operator's commands, for the command line. A person who may run it may also read and write the data folder, so they ask
 * for no password. Each is loaded when it is run.
 */
export type OperatorCommand = {
  readonly name: string;
  /** What is typed after its name, in a line each. */
  readonly usage: readonly string[];
  readonly summary: string;
  /**
   * @returns the exit status: 0 done, 1 not done, 2 called wrongly
   * @throws when it could not be done; the message is printed as one line
   */
  readonly run: (args: readonly string[]) => Promise<number>;
};

export const operatorCommands: readonly OperatorCommand[] = [
  {
    name: 'login-link',
    usage: ['', '--data <folder>'],
    summary: 'print a link that signs in, once, within 15 minutes',
    run: async (args) => (await import('./commands/login-link.ts')).printLoginLink(args),
  },
  {
    name: 'password',
    usage: ['set'],
    summary: 'set the password, typed, piped or from FLIGHT_PASSWORD_FILE, and sign everybody out',
    run: async (args) => (await import('./commands/password.ts')).managePassword(args),
  },
  {
    name: 'sessions',
    usage: ['list', 'revoke <id>', 'revoke --all'],
    summary: 'list who is signed in, and sign them out',
    run: async (args) => (await import('./commands/sessions.ts')).manageSessions(args),
  },
  {
    name: 'token',
    usage: ['create <name> [--days <number>|never] [--app <id>]… [--upload]', 'list', 'revoke <id>', 'revoke --all'],
    summary: 'make, list and revoke tokens that read the API, or upload source maps',
    run: async (args) => (await import('./commands/token.ts')).manageTokens(args),
  },
  {
    name: 'backup',
    usage: ['<file>'],
    summary: 'copy the database and the source maps to a new file while the server runs',
    run: async (args) => (await import('./commands/backup.ts')).backUp(args),
  },
  {
    name: 'restore',
    usage: ['<file>'],
    summary: 'replace the database by a backup, while no server runs',
    run: async (args) => (await import('./commands/restore.ts')).restore(args),
  },
  {
    name: 'healthcheck',
    usage: [''],
    summary: 'ask the running server if it is ready: exit 0 or 1',
    run: async (args) => (await import('./commands/healthcheck.ts')).checkHealth(args),
  },
];
