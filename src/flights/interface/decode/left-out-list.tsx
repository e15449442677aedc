import { Panel } from '#viewer/panel.tsx';
import { explainLeftOut, type HarLeftOut, formatCount } from '#flight';

/** The most that are listed. */
const maxListed = 1000;

/** The responses that a HAR says there were and of which nothing can be shown, with the reason. */
export function LeftOutList({ leftOut }: { readonly leftOut: readonly HarLeftOut[] }) {
  if (leftOut.length === 0) return null;
  return (
    <Panel title={`${formatCount(leftOut.length)} left out of this HAR`}>
      <ul className="stack-2 list-none">
        {leftOut.slice(0, maxListed).map((one, index) => (
          <li key={index}>
            <span className="code [overflow-wrap:anywhere]">
              {one.method} {one.url}
            </span>
            <span className="block text-sm text-quiet">
              Status {one.status}: {explainLeftOut(one)}.
            </span>
          </li>
        ))}
      </ul>
      {leftOut.length > maxListed ? <p>Only the first {formatCount(maxListed)} are listed.</p> : null}
    </Panel>
  );
}
