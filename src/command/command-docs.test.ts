import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from 'vitest';

import { writeCheckUsage } from '#inspect/check-command/check-arguments.ts';
import { writeCompareUsage } from '#inspect/compare-command/compare-arguments.ts';

import { commands } from './commands.ts';

function read(guide: string): string {
  return `\n${readFileSync(path.join(import.meta.dirname, '../../docs', guide), 'utf8')}`;
}

type Row = readonly string[];

/** The tables under a title, each as its rows without the head. A bar inside a cell is written `\|`. */
function readTables(title: string, guide = 'command.md'): readonly (readonly Row[])[] {
  const section = read(guide).split(`\n${title}\n`)[1]?.split('\n## ')[0] ?? '';
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

it.each(['run', 'proxy', 'move'])('lists the options and statuses of %s', (name) => {
  const [options, statuses] = readTables(`## ${name}`);
  expect(options).toEqual(listOptions(name));
  expect(statuses).toEqual(listStatuses(name));
});

it.each([
  ['digest', '## Look up in a terminal', 'faults.md'],
  ['mcp', '## Options and statuses', 'mcp.md'],
])('lists the options and statuses of %s in another guide', (name, title, guide) => {
  expect(readTables(title, guide)).toEqual([listOptions(name), listStatuses(name)]);
});

it('lists the options and statuses of check in its own guide', () => {
  const [options, statuses] = readTables('# Check a site from outside', 'check.md');
  expect(statuses).toEqual(listStatuses('check'));
  const usage = writeCheckUsage('check');
  expect(options?.map(([option]) => option).filter((option) => !usage.includes(option ?? ''))).toEqual([]);
});

it('lists the options and statuses of compare in its own guide', () => {
  const [, options, statuses] = readTables('# What a change of the app does to its payloads', 'compare.md');
  expect(statuses).toEqual(listStatuses('compare'));
  const usage = writeCompareUsage('compare');
  expect(options).toHaveLength(8);
  expect(options?.map(([option]) => option).filter((option) => !usage.includes(option ?? ''))).toEqual([]);
});

it('lists the statuses of the server', () => {
  expect(readTables('## Without a command')).toEqual([listStatuses('')]);
});

it('lists how each of the operator’s commands is called, and their statuses', () => {
  const own = ['', 'run', 'proxy', 'flight', 'check', 'compare', 'move', 'digest', 'mcp'];
  const operators = [...commands].filter(([name]) => !own.includes(name));
  const [calls, statuses] = readTables("## The operator's commands");
  expect(calls).toEqual(operators.flatMap(([name, { usage }]) => usage.map((rest) => [`${name} ${rest}`.trim()])));
  expect(operators.map(([name]) => listStatuses(name))).toEqual(operators.map(() => statuses));
});
