/**
 * The variables of the environment as the command line passes them on: to what it starts, and to the modules of the server that
 * it loads, which read them when they are first asked. Settings of its own it has none: those are options.
 */
const given: Readonly<NodeJS.ProcessEnv> = { ...process.env };

/** Reads a variable as this process was started with it. */
export function readVariable(name: string): string | undefined {
  return given[name];
}

/** For the modules of the server in this process. Before anything has asked for a setting: they are read once. */
export function setVariable(name: string, value: string): void {
  process.env[name] = value;
}

/** All that this process was started with, changed; undefined: without it. */
export function withVariables(changes: Readonly<Record<string, string | undefined>> = {}): NodeJS.ProcessEnv {
  return { ...given, ...changes };
}
