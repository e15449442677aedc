import { Panel } from '../panel.tsx';

import { FindingItem } from '../findings/finding-item.tsx';
import type { PanelProps } from '../opened-flight.ts';
import { useUnderstood } from '../use-understood.ts';

const firstFindings = 3;

/** What to look at first. Shows nothing when nothing stands out; the Findings panel says what was looked for. */
export function FirstFindings({ opened, onOpen }: Pick<PanelProps, 'opened' | 'onOpen'>) {
  const state = useUnderstood(opened);
  if (state.kind !== 'known') {
    return (
      <Panel title="Findings">
        <p role="status" className="text-quiet">
          {state.kind === 'counting' ? 'Counting the bytes …' : `Could not be counted: ${state.reason}`}
        </p>
      </Panel>
    );
  }
  const { findings, total } = state.understood;
  const several = findings.length === 1 ? 'The only finding' : `All ${findings.length} findings`;
  const all = findings.length === 0 ? 'What was looked for' : several;
  return (
    <Panel
      title={findings.length === 0 ? 'Nothing to act on' : 'What stands out'}
      aside={
        <a href="#tab=findings" className="text-sm">
          {all}
        </a>
      }
    >
      {findings.length === 0 ? (
        <p className="text-quiet">
          No error in the payload, no long waits, and nothing sent twice that still costs after compression.
        </p>
      ) : (
        <ul className="overflow-hidden -mx-4 -my-3.5 rounded-ee-lg">
          {findings.slice(0, firstFindings).map((finding, index) => (
            <FindingItem
              key={index}
              finding={finding}
              flight={opened.flight}
              total={total}
              transfer={opened.response?.transfer}
              onOpen={onOpen}
            />
          ))}
        </ul>
      )}
    </Panel>
  );
}
