import { escapeText } from '#boundary';

import { countColumns, fitColumns, wrapColumns } from '../flight-command/columns.ts';
import type { Paint } from '../flight-command/lines.ts';
import {
  countWork,
  describeRoute,
  listProblems,
  namePaths,
  nameSite,
  severityNames,
  type RouteRow,
} from './describe-check.ts';
import type { SiteCheck } from './check-site.ts';

/** For people, at most 80 columns wide; what a site says is plain text, whatever it holds. */
const columns = 80;

const heads: readonly (readonly [keyof RouteRow, string])[] = [
  ['path', 'page'],
  ['status', ''],
  ['document', 'document'],
  ['navigation', 'navigate'],
  ['prefetch', 'prefetch'],
  ['flight', 'Flight'],
  ['rows', 'rows'],
  ['modules', 'modules'],
];
const widestPath = 24;

function pad(text: string, width: number, isLeft: boolean): string {
  const space = ' '.repeat(Math.max(0, width - countColumns(text)));
  return isLeft ? text + space : space + text;
}

function* printRoutes({ routes }: SiteCheck, paint: Paint): Generator<string> {
  const rows = routes.map(describeRoute).map((row) => ({ ...row, path: fitColumns(escapeText(row.path), widestPath) }));
  const widths = heads.map(([field, head]) =>
    Math.max(countColumns(head), ...rows.map((row) => countColumns(row[field]))),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => pad(cell, widths[at] ?? 0, at === 0))
      .join('  ')
      .trimEnd();
  yield `\n${paint('title', 'Pages, as sent')}\n`;
  yield `${paint('faint', line(heads.map(([, head]) => head)))}\n`;
  for (const row of rows) {
    yield `${line(heads.map(([field]) => row[field]))}\n`;
    if (row.madeOf !== '') yield `${paint('faint', `  ${row.madeOf}`)}\n`;
  }
}

const indent = '  ';

function* printText(text: string): Generator<string> {
  for (const line of wrapColumns(escapeText(text), columns - indent.length)) yield `${indent}${line}\n`;
}

export function* printCheck(check: SiteCheck, paint: Paint): Generator<string> {
  yield `${paint('title', escapeText(check.address))}\n${escapeText(nameSite(check))} · ${countWork(check)}\n`;
  yield* printRoutes(check, paint);
  yield `\n${paint('title', 'Findings')}\n`;
  if (check.findings.length === 0) yield 'None.\n';
  for (const finding of check.findings) {
    const name = severityNames[finding.severity];
    yield `${finding.severity === 'high' ? paint('problem', name) : name}  ${paint('faint', escapeText(namePaths(finding)))}\n`;
    yield* printText(finding.title);
    yield* printText(finding.advice);
  }
  const problems = listProblems(check);
  if (problems.length === 0) return;
  yield `\n${paint('title', 'Not looked at')}\n`;
  for (const problem of problems) yield* printText(problem);
}
