import { parseArgs } from 'node:util';

import { toPlainJson } from '#boundary';

import { type Option, WrongUse } from './command.ts';

export type ReadOptions = {
  /** By the option's name; those that were not given are missing. An option that takes no value has an empty one. */
  readonly values: ReadonlyMap<string, string>;
  /** What stands after `--`; undefined without one. */
  readonly rest: readonly string[] | undefined;
};

/**
 * Reads a command's arguments: options of `known`, then `--` and anything.
 * @throws WrongUse naming the first argument that is none of them
 */
export function readOptions(known: readonly Option[], args: readonly string[]): ReadOptions {
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      known.map(({ name, value }) => [
        name.slice(2),
        { type: value === '' ? ('boolean' as const) : ('string' as const) },
      ]),
    ),
    strict: false,
    tokens: true,
  });
  const values = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === 'option-terminator') return { values, rest: args.slice(token.index + 1) };
    if (token.kind === 'positional') throw new WrongUse(`${toPlainJson(token.value)} is not an option`);
    const option = known.find(({ name }) => name === token.rawName);
    if (!option) throw new WrongUse(`there is no option ${toPlainJson(token.rawName)}`);
    const { value } = token;
    if (option.value === '') {
      if (value !== undefined) throw new WrongUse(`${option.name} takes no value`);
      values.set(option.name, '');
      continue;
    }
    const isMissing = value === undefined || value === '' || (!token.inlineValue && value.startsWith('-'));
    if (isMissing) throw new WrongUse(`${option.name} needs a value: ${option.name} ${option.value}`);
    values.set(option.name, value);
  }
  return { values, rest: undefined };
}

/** @throws WrongUse */
export function readPort(values: ReadOptions['values'], name: string, unset: number): number {
  const given = values.get(name);
  if (given === undefined) return unset;
  const port = /^\d{1,5}$/.test(given) ? Number(given) : 0;
  if (port < 1 || port > 65_535) throw new WrongUse(`${name} is ${toPlainJson(given)}; it must be a port, 1 to 65535`);
  return port;
}
