import { Panel } from '#src/components/panel.tsx';
import { minFindingBase64, minFindingRepeats, minFindingShare, minFindingWaitMs, formatBytes } from '#flight';

import { FindingItem } from './finding-item.tsx';
import type { OpenedFlight, PanelProps } from '../opened-flight.ts';
import { WhenUnderstood } from '../when-understood.tsx';

/** What stands out in the flight, the worst first. */
export function FindingsPanel({ opened, onOpen }: PanelProps) {
  return (
    <WhenUnderstood opened={opened} what="the bytes, to see what stands out">
      {({ findings, total }) => (
        <>
          {findings.length === 0 ? null : (
            <ul className="panel overflow-hidden" aria-label="Findings">
              {findings.map((finding, index) => (
                <FindingItem key={index} finding={finding} total={total} onOpen={onOpen} />
              ))}
            </ul>
          )}
          <LookedFor opened={opened} hasFindings={findings.length > 0} />
        </>
      )}
    </WhenUnderstood>
  );
}

/** "Nothing found" only helps a reader who knows what was looked for. */
function LookedFor({ opened, hasFindings }: { readonly opened: OpenedFlight; readonly hasFindings: boolean }) {
  const share = `${minFindingShare * 100} % of the payload`;
  const checks = [
    'a payload that is broken, cut off, or given up, and rows that were promised and never came',
    'errors among the rows',
    opened.chunks.length === 0
      ? `waits: not looked for, because this flight came without times`
      : `waits of ${minFindingWaitMs} ms and more, at a Suspense boundary or outside of all`,
    `values sent twice, ${minFindingRepeats} and more in the same two places, and equal text or structures: ${share} and more`,
    `class names that repeat, large props, and names of client modules’ files: ${share} and more`,
    'client modules that nothing uses',
    `files in text, as base64 of ${formatBytes(minFindingBase64)} and more`,
    'what only a development server sends',
  ];
  const list = (
    <ul>
      {checks.map((check) => (
        <li key={check}>{check}</li>
      ))}
    </ul>
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
    <Panel title="Nothing stands out">
      <p>Looked for, and not found:</p>
      {list}
    </Panel>
  );
}
