import { escapeText } from '#boundary';

import type { Command } from './command.ts';

/** The texts that explain the command line. `program` is how it is typed here. */

/** Lines of two columns. */
function formatColumns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd()).join('\n');
}

export function formatOverview(program: string, commands: ReadonlyMap<string, Command>): string {
  const rows = [...commands].map(([name, { summary }]) => [name || '(none)', summary] as const);
  return `Usage: ${program} [<command>]

Records what a React Server Components app does, and turns the digest on an error page into its cause.

Commands:
${formatColumns(rows)}

${program} <command> --help explains one; ${program} --version prints the version.

Examples:
  ${program} run -- next start
  ${program}
`;
}

function listUsage(program: string, name: string, { usage }: Command): readonly string[] {
  return usage.map((rest) => [program, name, rest].filter((word) => word !== '').join(' '));
}

export function formatHelp(program: string, name: string, command: Command): string {
  const { summary, options, examples, statuses } = command;
  const usage = listUsage(program, name, command).join('\n       ');
  const optionRows = options.map((option) => {
    const unset = option.unset === '' ? '' : ` (default: ${option.unset})`;
    return [`${option.name} ${option.value}`.trimEnd(), `${option.meaning}${unset}`] as const;
  });
  const exampleRows = examples.map(([typed, what]) => [`${program} ${typed}`.trim(), what] as const);
  return [
    `Usage: ${usage}`,
    `${summary[0]?.toUpperCase() ?? ''}${summary.slice(1)}.`,
    ...(optionRows.length > 0 ? [`Options:\n${formatColumns(optionRows)}`] : []),
    ...(exampleRows.length > 0 ? [`Examples:\n${formatColumns(exampleRows)}`] : []),
    `Exit status:\n${formatColumns(statuses)}`,
  ]
    .join('\n\n')
    .concat('\n');
}

/** The command's usage on one line. */
export function formatCall(program: string, name: string, command: Command): string {
  return listUsage(program, name, command).join(', or ');
}

/** One line on standard error. */
export function complain(text: string): void {
  process.stderr.write(`flight-recorder: ${escapeText(text)}\n`);
}
