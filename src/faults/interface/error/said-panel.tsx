import { Facts, type Fact } from '#viewer/facts.tsx';
import { Panel } from '#viewer/panel.tsx';
import { isOfMismatch } from './mismatch.tsx';
import type { Said } from '#src/faults/kept/error-details.ts';

function listFacts(texts: Readonly<Record<string, string>>): Fact[] {
  return Object.entries(texts).map(([name, value]) => ({
    name,
    value: <span className="code whitespace-pre-wrap">{value}</span>,
  }));
}

/** What the sender said of this error besides the error. Nothing where it said nothing. */
export function SaidPanel({ said: { environment, sdk, user, tags, extra } }: { said: Said }) {
  const known = listFacts(
    Object.fromEntries(Object.entries({ environment, user, ...tags, sdk }).filter(([, value]) => value !== '')),
  );
  const more = listFacts(Object.fromEntries(Object.entries(extra).filter(([name]) => !isOfMismatch(name))));
  if (known.length + more.length === 0) return null;
  return (
    <Panel title="Tags of this error">
      {known.length > 0 ? <Facts facts={known} /> : null}
      {more.length > 0 ? (
        <details className="stack-1.5" open={known.length === 0}>
          <summary className="text-sm">Contexts and extra data</summary>
          <Facts facts={more} />
        </details>
      ) : null}
    </Panel>
  );
}
