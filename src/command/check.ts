import { runCheckCommand } from '#inspect/check-command/run-check-command.ts';
import type { CheckFinding } from '#inspect/check-command/check-finding.ts';
import { adviseOn, describeListAge, findWeaknesses } from '#src/apps/advisories/find-advisories.ts';

/**
 * What is published against a version that a site's scripts name. Of React they name the version of the client, which says nothing of the
 * server's packages.
 */
function judgeVersions(versions: ReadonlyMap<string, string>): CheckFinding[] {
  const version = versions.get('Next.js');
  if (version === undefined) return [];
  return findWeaknesses([{ name: 'next', version, within: '' }]).map((weakness) => ({
    kind: 'advisory',
    severity: 'high',
    title: `Next.js ${version} has ${weakness.advisories.map(({ id }) => id).join(', ')}.`,
    advice: `${adviseOn(weakness)} ${describeListAge(Date.now())}`,
    paths: [],
  }));
}

/** `check …`: it reads its arguments and explains itself, as `flight` does. */
export function check(args: readonly string[], program: string): Promise<number> {
  return runCheckCommand(args, `${program} check`, judgeVersions);
}
