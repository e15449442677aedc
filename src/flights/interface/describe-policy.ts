import type { Policy } from '#src/apps/policy.ts';

/** What `RECORD` says, in words that can follow a colon. */
export function describePolicy(policy: Policy): string {
  switch (policy.mode) {
    case 'all':
      return 'every flight';
    case 'errors':
      return 'flights that fail';
    case 'sample':
      return `${Math.round(policy.share * 1000) / 10} % of the documents, each with what follows from it, and every flight that fails`;
    case 'off':
      return 'nothing';
  }
}
