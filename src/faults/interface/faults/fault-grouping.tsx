import { formatCount } from '#flight';
import { splitFault } from '#src/faults/actions/split-fault.ts';
import { Moment } from '#src/ui/moment.tsx';
import { Panel } from '#viewer/panel.tsx';
import type { FaultDetails } from '#src/faults/grouping/find-fault-page.ts';
import { type FaultHash, readFaultHashes } from '#src/faults/grouping/read-fault-hashes.ts';

import { describeGrouping, noMessage } from './describe-grouping.ts';
import { SplitByForm } from './split-by-form.tsx';
import { mergeIntoFault } from '#src/faults/actions/merge-into-fault.ts';

function Explanation({ hash: { hash, rule, parts, count, lastTime }, now }: { hash: FaultHash; now: number }) {
  return (
    <div className="stack-1 min-w-0">
      <p>{describeGrouping({ rule, parts })}</p>
      {parts.length > 0 ? (
        <ul className="list-none text-[0.8125rem]">
          {parts
            .filter((part) => part !== noMessage)
            .map((part, index) => (
              <li key={index} className="code">
                {part}
              </li>
            ))}
        </ul>
      ) : null}
      <p className="text-[0.8125rem] text-quiet">
        <span className="code">{hash}</span>, {count === 1 ? 'once' : `${formatCount(count)} times`}, last{' '}
        <Moment time={lastTime} now={now} isDense />
      </p>
    </div>
  );
}

type SplitFormProps = {
  readonly fault: FaultDetails;
  readonly hashes: readonly FaultHash[];
  readonly back: string;
  readonly now: number;
};

/** A form that takes some of several fingerprints out of the fault. */
function SplitForm({ fault, hashes, back, now }: SplitFormProps) {
  return (
    <form action={splitFault} className="stack-3">
      <input type="hidden" name="fault" value={fault.id} />
      <input type="hidden" name="back" value={back} />
      <ul className="stack-3 list-none">
        {hashes.map((hash) => (
          <li key={hash.hash}>
            <label className="grid grid-cols-[1.5rem_minmax(0,1fr)] items-baseline font-normal">
              <input type="checkbox" name="hash" value={hash.hash} />
              <Explanation hash={hash} now={now} />
            </label>
          </li>
        ))}
      </ul>
      <p>
        <button type="submit">Split off the chosen ones</button>
      </p>
      <p className="text-sm text-quiet">They become a fault of their own. It can be undone.</p>
    </form>
  );
}

/** Takes another fault into this one. Behind a fold: it is rarely needed. */
function MergeForm({ fault, back }: { fault: { readonly id: string }; back: string }) {
  return (
    <details>
      <summary className="text-sm">Merge another fault into this one</summary>
      <form action={mergeIntoFault} className="stack-2 pt-2">
        <input type="hidden" name="fault" value={fault.id} />
        <input type="hidden" name="back" value={back} />
        <label className="block">
          Its address, or its id
          <input
            name="other"
            required
            maxLength={2000}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            className="block w-full font-mono"
          />
        </label>
        <p className="text-sm text-quiet">
          Its errors and its log move here, and its address leads here. It can be undone.
        </p>
        <button type="submit">Merge</button>
      </form>
    </details>
  );
}

/** Shows why its errors are one fault, and the forms that change it. */
export async function FaultGrouping({ fault, back, now }: { fault: FaultDetails; back: string; now: number }) {
  const { hashes, total } = await readFaultHashes(fault.id);
  const [only] = hashes;
  return (
    <Panel title="Why these are one fault">
      {total > 1 ? (
        <>
          <p className="text-sm text-quiet">{formatCount(total)} fingerprints were put together. Each has in common:</p>
          <SplitForm fault={fault} hashes={hashes} back={back} now={now} />
          {total > hashes.length ? (
            <p className="text-sm text-quiet">The {hashes.length} most frequent are listed.</p>
          ) : null}
        </>
      ) : only ? (
        <Explanation hash={only} now={now} />
      ) : null}
      <SplitByForm fault={fault} back={back} />
      <MergeForm fault={fault} back={back} />
    </Panel>
  );
}
