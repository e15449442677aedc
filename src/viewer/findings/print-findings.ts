import { formatBytes, printRow, readRow, type Finding, type Flight, type Place } from '#flight';

import { nameRow } from '../row-name.ts';
import { describePart } from './finding-item.tsx';

/** All findings as text: for an issue, or a message to who wrote the page. */
export function printFindings(title: string, flight: Flight, findings: readonly Finding[]): string {
  const head = `${title}: ${formatBytes(flight.bytes.length)} of Flight`;
  const lines = findings.map((finding) => {
    const parts = finding.parts.map((part) => {
      const size = describePart(part);
      return `  - ${part.title}${size === '' ? '' : `: ${size}`}`;
    });
    return [
      `- ${finding.weight}: ${finding.title}`,
      ...parts,
      `  ${finding.advice}`,
      `  ${printPlace(flight, finding.place)}`,
    ]
      .filter((line) => line.trim() !== '')
      .join('\n');
  });
  return `${[head, ...lines].join('\n')}\n`;
}

function printPlace(flight: Flight, { row, start, end }: Place): string {
  if (row >= flight.rows.count) return '';
  const bytes = start === undefined || end === undefined ? '' : `, bytes ${start} to ${end}`;
  return `at row ${nameRow(flight, row)} (${printRow(flight, readRow(flight, row))})${bytes}`;
}
