/**
 * One thing that somebody should know of a site. `high`: somebody is harmed, or will be. `medium`: a setting to change. `low`: a cost.
 * `note`: a fact, as it may be meant.
 */
export type Severity = 'high' | 'medium' | 'low' | 'note';

export const severities: readonly Severity[] = ['high', 'medium', 'low', 'note'];

export type CheckFinding = {
  /** For programs: docs/check.md lists them. */
  readonly kind: string;
  readonly severity: Severity;
  readonly title: string;
  /** What to do. */
  readonly advice: string;
  /** The pages, each once; empty where it is of the whole site. */
  readonly paths: readonly string[];
};

/** Findings that say the same are one, with all their pages; the worst first, in the order in which they were found. */
export function groupFindings(findings: readonly CheckFinding[]): CheckFinding[] {
  const groups = new Map<string, CheckFinding>();
  for (const finding of findings) {
    const key = `${finding.kind}\n${finding.title}`;
    const before = groups.get(key);
    groups.set(key, before ? { ...before, paths: [...new Set([...before.paths, ...finding.paths])] } : finding);
  }
  return [...groups.values()].toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
}
