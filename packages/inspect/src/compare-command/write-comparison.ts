import { escapeText, toPlainJson } from '#boundary';
import type { Finding, OneFile, SavedComparison, SavedFlight } from '#flight';

import type { Paint } from '../flight-command/lines.ts';
import { fitColumns, wrapColumns } from '../flight-command/columns.ts';
import { toSavedFlight } from '../flight-command/write-one-file.ts';
import { escapeMarkdown } from '../check-command/write-check.ts';
import type { Answer, ComparedRoute } from './compare-route.ts';
import { countVerdicts, describeRow, listLines, listOther, type RouteRow } from './describe-route.ts';

/** A comparison for a terminal, as JSON, as Markdown, and for the file with the viewer. docs/compare.md has the shapes. */
export type Comparison = {
  readonly base: string;
  readonly head: string;
  readonly routes: readonly ComparedRoute[];
  /** What could not be compared. */
  readonly problems: readonly string[];
  /** Limits that are exceeded. */
  readonly exceeded: readonly string[];
};

const columns = 80;

function fit(text: string, width = columns): string {
  return fitColumns(escapeText(text), width);
}

export function* printComparison({ base, head, routes, problems }: Comparison, paint: Paint): Generator<string> {
  yield `${paint('title', fit(`${base} → ${head}`))}\n${countVerdicts(routes)}\n`;
  for (const route of listOther(routes)) {
    const { flight, change, transferred, rows, modules } = describeRow(route);
    yield `\n${paint('title', fit(route.path))}\n`;
    yield `${fit(`  Flight ${flight} (${change}) · transferred ${transferred}`)}\n`;
    yield `${fit(`  rows ${rows} · client modules ${modules}`)}\n`;
    for (const line of listLines(route)) {
      let mark = '  · ';
      for (const part of wrapColumns(escapeText(line), columns - 4)) {
        yield `${mark}${line.startsWith('new secret') ? paint('problem', part) : part}\n`;
        mark = '    ';
      }
    }
  }
  if (problems.length === 0) return;
  yield `\n${paint('title', 'Not compared')}\n`;
  for (const problem of problems) yield `  ${fit(problem, columns - 2)}\n`;
}

/** GitHub takes 65,536 characters in a comment; others have something of their own around it. */
const maxMarkdown = 60_000;

/** By this whoever keeps one comment finds it again. */
export const markdownMark = '<!-- flight-recorder compare -->';

/** Rows of the table: more nobody reads in a comment. */
const maxRows = 30;

const heads: readonly (readonly [keyof RouteRow, string])[] = [
  ['route', 'route'],
  ['flight', 'Flight'],
  ['change', 'change'],
  ['transferred', 'transferred'],
  ['rows', 'rows'],
  ['modules', 'client modules'],
];

function writeTable(routes: readonly ComparedRoute[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(heads.map(([, head]) => head)),
    line(heads.map(([field]) => (field === 'route' ? '---' : '--:'))),
    ...routes.map(describeRow).map((row) => line(heads.map(([field]) => escapeMarkdown(row[field])))),
  ].join('\n');
}

function writeDetails(route: ComparedRoute): string {
  const lines = listLines(route).map((line) => `- ${escapeMarkdown(line)}`);
  if (lines.length === 0) return '';
  return `<details><summary>${escapeMarkdown(route.path)}</summary>\n\n${lines.join('\n')}\n\n</details>`;
}

function writeList(head: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`**${head}**\n\n${lines.map((line) => `- ${escapeMarkdown(line)}`).join('\n')}`];
}

/** One table, and what changed folded below it. Ends with how many were left out where there is no more room. */
export function writeComparisonMarkdown({ base, head, routes, problems, exceeded }: Comparison): string {
  const other = listOther(routes);
  const shown = other.slice(0, maxRows);
  const hidden = other.length - shown.length;
  const secrets = routes.flatMap((route) => route.secrets.map(({ title }) => `${route.path}: ${title}`));
  const start = [
    `${markdownMark}\n### Payloads: ${countVerdicts(routes)}`,
    ...writeList('Over the limit', exceeded.slice(0, maxRows)),
    ...writeList('New secrets', secrets.slice(0, maxRows)),
    ...(shown.length > 0 ? [writeTable(shown)] : []),
    ...(hidden > 0 ? [`${hidden} more routes changed less.`] : []),
  ];
  const end = [
    ...writeList('Not compared', problems.slice(0, maxRows)),
    `Base: ${escapeMarkdown(base)}, head: ${escapeMarkdown(head)}. Ids, hashes and times do not count.`,
  ];
  const details: string[] = [];
  let left = maxMarkdown - [...start, ...end].join('\n\n').length - 200;
  for (const text of shown.map(writeDetails).filter((each) => each !== '')) {
    left -= text.length + 2;
    if (left < 0) {
      details.push('What changed in the others has no room here.');
      break;
    }
    details.push(text);
  }
  return `${[...start, ...details, ...end].join('\n\n').slice(0, maxMarkdown)}\n`;
}

function answerToJson(answer: Answer | undefined) {
  if (!answer) return null;
  const { sizes, flight, modules } = answer.report;
  return {
    flight: sizes.flight,
    response: sizes.response ?? null,
    transferred: sizes.transferred ?? null,
    rows: flight.rows.count,
    clientModules: modules.length,
  };
}

function findingsToJson(findings: readonly Finding[]) {
  return findings.map(({ kind, weight, title }) => ({ kind, weight, title }));
}

export function writeComparisonJson({ base, head, routes, problems, exceeded }: Comparison): string {
  return `${toPlainJson({
    base,
    head,
    routes: routes.map((route) => ({
      path: route.path,
      verdict: route.verdict,
      base: answerToJson(route.base),
      head: answerToJson(route.head),
      changes: [...route.changes],
      modules: { added: [...route.modules.added], removed: [...route.modules.removed] },
      findings: {
        added: findingsToJson(route.findings.added),
        removed: findingsToJson(route.findings.removed),
      },
      secrets: findingsToJson(route.secrets),
    })),
    notCompared: [...problems],
    exceeded: [...exceeded],
  })}\n`;
}

/** The file with the viewer: each route is a comparison of two flights. */
export function toOneFile({ base, head, routes }: Comparison): Omit<OneFile, 'savedAt'> {
  const flights: SavedFlight[] = [];
  function save(answer: Answer | undefined, side: string): number | undefined {
    if (!answer) return undefined;
    flights.push(toSavedFlight(answer.flight, side));
    return flights.length - 1;
  }
  const other = listOther(routes);
  const inOrder = [...other, ...routes.filter((route) => !other.includes(route))];
  const comparisons = inOrder.map((route): SavedComparison => {
    const { flight, change } = describeRow(route);
    return {
      title: route.path,
      before: save(route.base, base),
      after: save(route.head, head),
      lines: route.verdict === 'same' ? ['no change'] : [`Flight ${flight} (${change})`, ...listLines(route)],
    };
  });
  return { title: `Payloads of ${base} and ${head}`, flights, comparisons, texts: [] };
}
