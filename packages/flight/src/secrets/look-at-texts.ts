import type { Finding } from '../finding.ts';
import { sortFindings } from '../findings.ts';
import type { Flight } from '../flight.ts';
import { countPersonalData, type PersonalData } from './personal-data.ts';
import { findSecretFindings } from './secret-findings.ts';

/** What the texts of a flight say: secrets, which join the findings of its parts, and personal data, which is counted. */
export function lookAtTexts(
  flight: Flight,
  findings: readonly Finding[],
): { readonly findings: readonly Finding[]; readonly personal: PersonalData } {
  return {
    findings: sortFindings([...findings, ...findSecretFindings(flight)]),
    personal: countPersonalData(flight),
  };
}
