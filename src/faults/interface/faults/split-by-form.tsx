import { formatCount } from '#flight';
import { splitFaultBy } from '#src/faults/actions/split-fault-by.ts';
import { readTraitChoices, type TraitChoice } from '#src/faults/grouping/split-by.ts';
import type { Trait } from '#src/runtime/errors/grouping.ts';

const names = {
  line: 'the line that failed',
  cause: 'the cause',
  message: 'the message, values aside',
} as const satisfies Record<Trait, string>;

const valuesShown = 5;

function Choice({ choice: { trait, values }, isFirst }: { choice: TraitChoice; isFirst: boolean }) {
  return (
    <div className="stack-0.5 min-w-0">
      <label className="font-normal">
        <input type="radio" name="trait" value={trait} required defaultChecked={isFirst} /> by {names[trait]}:{' '}
        {formatCount(values.length)} faults
      </label>
      <ul className="list-none pl-6 text-[0.8125rem]">
        {values.slice(0, valuesShown).map(({ value, count }) => (
          <li key={value} className="flex min-w-0 gap-2">
            <span className="shrink-0 text-quiet">{formatCount(count)}×</span>
            <span className="code min-w-0 [overflow-wrap:anywhere]">{value || '(none)'}</span>
          </li>
        ))}
        {values.length > valuesShown ? (
          <li className="text-quiet">and {formatCount(values.length - valuesShown)} more</li>
        ) : null}
      </ul>
    </div>
  );
}

/** For a fault that is several. Behind a fold, and only where its errors differ in something. */
export async function SplitByForm({ fault, back }: { fault: { readonly id: string }; back: string }) {
  const choices = (await readTraitChoices(fault.id)).filter(({ values }) => values.length > 1);
  if (choices.length === 0) return null;
  return (
    <details>
      <summary className="text-sm">Split it by what its errors differ in</summary>
      <form action={splitFaultBy} className="stack-3 pt-2">
        <input type="hidden" name="fault" value={fault.id} />
        <input type="hidden" name="back" value={back} />
        {choices.map((choice, index) => (
          <Choice key={choice.trait} choice={choice} isFirst={index === 0} />
        ))}
        <p className="text-sm text-quiet">
          Counted in its newest errors. The most frequent stays this fault, each other becomes one of its own: what is
          kept now, and what comes from now on. What was counted and is not kept stays here. It can be undone.
        </p>
        <button type="submit">Split</button>
      </form>
    </details>
  );
}
