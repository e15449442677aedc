import { Panel } from '../panel.tsx';
import {
  type Finding,
  type Flight,
  formatBytes,
  formatDuration,
  minFindingBase64,
  minFindingBytes,
  minFindingShare,
  minFindingWaitMs,
  type Place,
  printRow,
  readRow,
  type Transfer,
} from '#flight';

import { CopyLazily } from '../copy-lazily.tsx';
import type { OpenedFlight, PanelProps } from '../opened-flight.ts';
import type { Understood } from '../understand-task.ts';
import { WhenUnderstood } from '../when-understood.tsx';
import { describePart, FindingItem } from './finding-item.tsx';
import { nameRow } from '../row-name.ts';

/** What stands out in the flight, the worst first. */
export function FindingsPanel({ opened, onOpen }: PanelProps) {
  return (
    <WhenUnderstood opened={opened} what="the bytes, to see what stands out">
      {(understood) => (
        <>
          {understood.findings.length === 0 ? null : <Groups opened={opened} onOpen={onOpen} understood={understood} />}
          <LookedFor opened={opened} hasFindings={understood.findings.length > 0} />
        </>
      )}
    </WhenUnderstood>
  );
}

type Weight = Finding['weight'];

const groups: readonly { weight: Weight; one: string; many: string }[] = [
  { weight: 'problem', one: 'Problem', many: 'Problems' },
  { weight: 'wait', one: 'Wait', many: 'Waits' },
  { weight: 'cost', one: 'Cost', many: 'Costs' },
  { weight: 'note', one: 'Note', many: 'Notes' },
];

type GroupsProps = Pick<PanelProps, 'opened' | 'onOpen'> & { readonly understood: Understood };

/** All findings as text: for an issue, or a message to who wrote the page. */
function printFindings(
  title: string,
  flight: Flight,
  findings: readonly Finding[],
  transfer: Transfer | undefined,
): string {
  const head = `${title}: ${formatBytes(flight.bytes.length)} of Flight`;
  const lines = findings.map((finding) => {
    const parts = finding.parts.map((part) => {
      const size = describePart(part, transfer);
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

function Groups({ opened, onOpen, understood }: GroupsProps) {
  const { findings, total } = understood;
  const { flight, title, response } = opened;
  const transfer = response?.transfer;
  return (
    <>
      <div className="flight-findings-head">
        <p>{countGroups(findings)}</p>
        <CopyLazily what="all findings" read={() => printFindings(title, flight, findings, transfer)}>
          Copy all
        </CopyLazily>
      </div>
      {groups.map(({ weight, one, many }) => {
        const listed = findings.filter((finding) => finding.weight === weight);
        if (listed.length === 0) return null;
        const name = listed.length === 1 ? one : many;
        return (
          <section key={weight} className="panel overflow-hidden" aria-label={name}>
            <div className="flight-findings-title">
              <h2>{name}</h2>
              <span className="text-sm text-quiet">{describeGroup(weight, listed, understood)}</span>
            </div>
            <ul className="list-none">
              {listed.map((finding, index) => (
                <FindingItem
                  key={index}
                  finding={finding}
                  flight={flight}
                  total={total}
                  transfer={transfer}
                  onOpen={onOpen}
                />
              ))}
            </ul>
          </section>
        );
      })}
    </>
  );
}

/** `1 problem, 2 waits and 3 costs`. */
function countGroups(findings: readonly Finding[]): string {
  const words = groups.flatMap(({ weight, one, many }) => {
    const count = findings.filter((finding) => finding.weight === weight).length;
    return count === 0 ? [] : `${count} ${(count === 1 ? one : many).toLowerCase()}`;
  });
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}

/** What the numbers of a group are part of. Costs may overlap, so they are not added up. */
function describeGroup(weight: Weight, listed: readonly Finding[], { total }: Understood): string {
  switch (weight) {
    case 'problem':
    case 'note':
      return '';
    case 'wait':
      return `the longest ${formatDuration(listed[0]?.ms ?? 0)}`;
    case 'cost':
      return `of ${formatBytes(total)}`;
  }
}

/** By what the sizes after compression are counted. */
function describeCompression(transfer: Transfer | undefined): string {
  if (!transfer) {
    return 'Sizes after compression are estimated as gzip compresses: a second copy of a text costs next to nothing.';
  }
  const { response, sent, codec } = transfer;
  if (codec === 'identity') return 'The response was sent without compression.';
  const by = codec === undefined ? '' : `, with ${codec}`;
  return `Of this response ${formatBytes(response)} were sent as ${formatBytes(sent)}${by}. What a part took of that is estimated as gzip compresses.`;
}

/** "Nothing found" only helps a reader who knows what was looked for. */
function LookedFor({ opened, hasFindings }: { readonly opened: OpenedFlight; readonly hasFindings: boolean }) {
  const share = `${formatBytes(minFindingBytes)} (a packet) and ${minFindingShare * 100} % of the compressed payload and more`;
  const checks = [
    'a payload that is broken, cut off, or given up, and promised rows that never came where that is not by design',
    'errors among the rows',
    opened.chunks.length === 0
      ? `waits: not looked for, because this flight came without times`
      : `waits of ${minFindingWaitMs} ms and more, at a Suspense boundary or outside of all, and promises that came so late to client components`,
    `text, elements, objects and class names that are sent more than once: ${share}`,
    `large props, and names of client modules’ files: ${share}`,
    `files in text, as base64 of ${formatBytes(minFindingBase64)} and more: ${share}`,
    'what only a development server sends',
  ];
  const list = (
    <>
      <ul>
        {checks.map((check) => (
          <li key={check}>{check}</li>
        ))}
      </ul>
      <p className="text-sm text-quiet">{describeCompression(opened.response?.transfer)}</p>
    </>
  );
  if (hasFindings) {
    return (
      <details>
        <summary>What was looked for</summary>
        {list}
      </details>
    );
  }
  return (
    <Panel title="Nothing to act on">
      <p>Looked for, and not found:</p>
      {list}
    </Panel>
  );
}
