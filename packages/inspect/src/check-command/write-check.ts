import { escapeText, toPlainJson } from '#boundary';

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
import type { Fetched } from '../flight-command/fetch-bounded.ts';

/** The report as Markdown, as one HTML file, and as JSON: docs/check.md has its shape. */

const heads: readonly (readonly [keyof RouteRow, string])[] = [
  ['path', 'page'],
  ['status', 'status'],
  ['document', 'document'],
  ['navigation', 'navigation'],
  ['prefetch', 'prefetch'],
  ['flight', 'Flight'],
  ['rows', 'rows'],
  ['modules', 'client modules'],
  ['madeOf', 'made of'],
];

/** What Markdown, and the HTML in it, would take for more than text. */
export function escapeMarkdown(text: string): string {
  return escapeText(text).replace(/[\\`*_{}[\]<>()#+!|~&-]/g, String.raw`\$&`);
}

export function writeMarkdown(check: SiteCheck): string {
  const { findings, routes } = check;
  const rows = routes.map(describeRoute);
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const table = [
    line(heads.map(([, head]) => head)),
    line(heads.map(() => '---')),
    ...rows.map((row) => line(heads.map(([field]) => escapeMarkdown(row[field])))),
  ];
  const found = findings.map(
    (finding) =>
      `- **${severityNames[finding.severity]}** ${escapeMarkdown(finding.title)} ${escapeMarkdown(finding.advice)} (${escapeMarkdown(namePaths(finding))})`,
  );
  const problems = listProblems(check).map((problem) => `- ${escapeMarkdown(problem)}`);
  return [
    `# Check of ${escapeMarkdown(check.address)}`,
    `${escapeMarkdown(nameSite(check))}: ${countWork(check)}.`,
    table.join('\n'),
    '## Findings',
    found.join('\n') || 'None.',
    ...(problems.length > 0 ? ['## Not looked at', problems.join('\n')] : []),
  ]
    .join('\n\n')
    .concat('\n');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return escapeText(text).replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

const styles = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.table { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: left; padding: 0.35rem 0.75rem 0.35rem 0; border-bottom: 1px solid #8884; white-space: nowrap; }
ul { list-style: none; padding: 0; } li { padding: 0.75rem 0; border-bottom: 1px solid #8884; overflow-wrap: anywhere; }
li p { margin: 0.25rem 0; } .severity { font-weight: 600; margin-right: 0.5rem; } .high { color: light-dark(#b3261e, #ff8a80); }
.paths { opacity: 0.75; font-size: 0.9rem; }
`;

/** One file without a script: opens from disk, and asks nobody for anything. */
export function writeHtml(check: SiteCheck): string {
  const rows = check.routes.map(describeRoute);
  const cells = (tag: string, texts: readonly string[]): string =>
    `<tr>${texts.map((text) => `<${tag}>${escapeHtml(text)}</${tag}>`).join('')}</tr>`;
  const found = check.findings.map(
    (finding) =>
      `<li><span class="severity ${finding.severity}">${severityNames[finding.severity]}</span><span class="paths">${escapeHtml(namePaths(finding, 20))}</span>` +
      `<p>${escapeHtml(finding.title)}</p><p>${escapeHtml(finding.advice)}</p></li>`,
  );
  const problems = listProblems(check).map((problem) => `<li>${escapeHtml(problem)}</li>`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Check of ${escapeHtml(check.address)}</title>
<style>${styles}</style>
<h1>${escapeHtml(check.address)}</h1>
<p>${escapeHtml(nameSite(check))}: ${countWork(check)}.</p>
<h2>Findings</h2>
${found.length > 0 ? `<ul>${found.join('\n')}</ul>` : '<p>None.</p>'}
<h2>Pages, as sent</h2>
<div class="table"><table>${cells(
    'th',
    heads.map(([, head]) => head),
  )}${rows
    .map((row) =>
      cells(
        'td',
        heads.map(([field]) => row[field]),
      ),
    )
    .join('\n')}</table></div>
${problems.length > 0 ? `<h2>Not looked at</h2><ul>${problems.join('\n')}</ul>` : ''}
</html>
`;
}

function sizesToJson(answer: Fetched | undefined): object | null {
  if (!answer) return null;
  const { status, bytes, transferred, headers, chunks } = answer;
  const times = { firstByteMs: chunks[0]?.ms ?? null, durationMs: chunks.at(-1)?.ms ?? null };
  return { status, bytes: bytes.length, transferred, codec: headers.get('content-encoding') ?? 'identity', ...times };
}

export function writeCheckJson(check: SiteCheck): string {
  const { address, framework, versions, routes, findings, requests } = check;
  return `${toPlainJson({
    address,
    framework: framework ?? null,
    versions: Object.fromEntries(versions),
    requests,
    routes: routes.map(({ path, route, document, navigation, prefetch, report }) => ({
      path,
      route: route ?? null,
      document: sizesToJson(document),
      navigation: sizesToJson(navigation?.answer),
      prefetch: sizesToJson(prefetch?.answer),
      flight: report?.sizes.flight ?? null,
      rows: report?.flight.rows.count ?? null,
      clientModules: report?.modules.length ?? null,
      sentAgain: report?.duplicates.wasted ?? null,
    })),
    findings,
    notLookedAt: listProblems(check),
  })}\n`;
}
