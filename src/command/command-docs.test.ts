import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from 'vitest';

import { commands } from './commands.ts';

const text = `\n${readFileSync(path.join(import.meta.dirname, '../../docs/command.md'), 'utf8')}`;

type Row = readonly string[];

/** The tables under a title, each as its rows without the head. A bar inside a cell is written `\|`. */
function readTables(title: string): readonly (readonly Row[])[] {
  const section = text.split(`\n${title}\n`)[1]?.split('\n## ')[0] ?? '';
  const blocks = section.split('\n\n').filter((block) => block.startsWith('| '));
  return blocks.map((block) =>
    block
      .split('\n')
      .slice(2)
      .filter((line) => line.startsWith('| '))
      .map((line) =>
        line
          .slice(1, -1)
          .split(/(?<!\\)\|/)
          .map((cell) => cell.trim().replaceAll('\\|', '|').replaceAll('`', '')),
      ),
  );
}

function listStatuses(name: string): readonly Row[] {
  return commands.get(name)?.statuses.map((row) => [...row]) ?? [];
}

function listOptions(name: string): readonly Row[] {
  const options = commands.get(name)?.options ?? [];
  return options.map(({ name: option, value, unset, meaning }) => [`${option} ${value}`.trim(), unset, meaning]);
}

it('lists every command, as the command line does', () => {
  const [listed] = readTables('# The command `flight-recorder`');
  expect(listed).toEqual([...commands].map(([name, { summary }]) => [name || '(none)', summary]));
});

it.each(['run', 'proxy', 'move', 'digest', 'mcp'])('lists the options and statuses of %s', (name) => {
  const [options, statuses] = readTables(`## ${name}`);
  expect(options).toEqual(listOptions(name));
  expect(statuses).toEqual(listStatuses(name));
});

it('lists the statuses of the server', () => {
  expect(readTables('## Without a command')).toEqual([listStatuses('')]);
});

it('lists how each of the operator’s commands is called, and their statuses', () => {
  const own = ['', 'run', 'proxy', 'flight', 'move', 'digest', 'mcp'];
  const operators = [...commands].filter(([name]) => !own.includes(name));
  const [calls, statuses] = readTables("## The operator's commands");
  expect(calls).toEqual(operators.flatMap(([name, { usage }]) => usage.map((rest) => [`${name} ${rest}`.trim()])));
  expect(operators.map(([name]) => listStatuses(name))).toEqual(operators.map(() => statuses));
});
