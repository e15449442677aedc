import { Panel } from '#viewer/panel.tsx';

import { adviseOn, describeListAge, findWeaknesses, nameInstalled } from '#src/apps/advisories/find-advisories.ts';
import type { InstalledPackage } from '#src/apps/advisories/read-installed.ts';

/** What an app runs with published advisories, and what mends it; nothing where the list has nothing to say. */
export function AdvisoryList({ packages, now }: { packages: readonly InstalledPackage[]; now: number }) {
  const weaknesses = findWeaknesses(packages);
  if (weaknesses.length === 0) return null;
  return (
    <Panel title="Published advisories">
      <div className="stack-3">
        {weaknesses.map((weakness) => {
          const name = nameInstalled(weakness.installed);
          return (
            <div key={name} className="stack-1.5">
              <p>
                <strong className="text-error">{name}</strong>: {adviseOn(weakness)}
              </p>
              <ul>
                {weakness.advisories.map(({ id, says, published, sources: [source = ''] }) => (
                  <li key={id}>
                    <a href={source} rel="noreferrer">
                      {id}
                    </a>{' '}
                    of {published}: {says}
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
        <p className="text-sm text-quiet">
          As the app was when it started last. {describeListAge(now)} What is not on it is unknown, not safe.
        </p>
      </div>
    </Panel>
  );
}
