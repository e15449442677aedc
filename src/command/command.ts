/** What the command line says of one of its commands; docs/command.md says the same, and a test compares them. */
export type Option = {
  /** As it is typed: `--port`. */
  readonly name: `--${string}`;
  /** What stands for its value in the usage: `<number>`. */
  readonly value: string;
  readonly meaning: string;
  /** What it is when it is not given. */
  readonly unset: string;
};

export type Command = {
  /** What is typed after its name, in a line each. */
  readonly usage: readonly string[];
  /** One line for the list of commands. */
  readonly summary: string;
  readonly options: readonly Option[];
  /** What is typed after the program, and what it is for. */
  readonly examples: readonly (readonly [typed: string, what: string])[];
  readonly statuses: readonly (readonly [status: string, when: string])[];
  /**
   * @param program how the command line is typed here, for what it prints
   * @returns the exit status; undefined when `args` are not as `usage` says
   * @throws when it could not be done; the message is printed as one line
   */
  readonly run: (args: readonly string[], program: string) => Promise<number | undefined>;
  /** It answers `--help` itself. */
  readonly hasOwnHelp?: boolean;
};

/** The statuses of every command that does something and ends. */
export const plainStatuses: Command['statuses'] = [
  ['0', 'done'],
  ['1', 'not done; one line says why'],
  ['2', 'called wrongly'],
];

/** Thrown for what a person typed and cannot be meant. Its message continues after `flight-recorder: `. */
export class WrongUse extends Error {}
