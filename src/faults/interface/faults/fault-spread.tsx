import { formatCount, formatShare } from '#flight';
import { Facts } from '#viewer/facts.tsx';
import { Panel } from '#viewer/panel.tsx';
import { faultsPath } from '#src/server/http/addresses.ts';
import { readFaultSpread, type Spread } from '#src/faults/grouping/read-fault-spread.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

function Bar({ count, total }: { count: number; total: number }) {
  return (
    <svg
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      aria-hidden="true"
      className="col-span-2 mb-1 block h-1 w-full rounded-xs bg-sunken"
    >
      <rect width={Math.max(1, (count / total) * 100)} height="4" fill="var(--line-strong)" />
    </svg>
  );
}

function Line({ name, count, total }: { name: React.ReactNode; count: number; total: number }) {
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3">
      <span className="min-w-0">{name}</span>
      <span className="text-quiet">
        {formatShare(count, total)} <span className="sr-only">, {formatCount(count)}</span>
      </span>
      <Bar count={count} total={total} />
    </li>
  );
}

/** What the list of faults can be filtered by: src/faults/interface/faults/fault-query.ts. */
const filters = new Set(['release', 'environment', 'level', 'phase', 'route']);

type ValueProps = { readonly app: string; readonly spread: Pick<Spread, 'name' | 'isTag'>; readonly value: string };

/** Leads to all faults of the app that have this value, where the list can be asked for it. */
function Value({ app, spread: { name, isTag }, value }: ValueProps) {
  const text = <span className="code line-clamp-2">{value}</span>;
  if (isTag || !filters.has(name)) return text;
  // In double quotes, the whole of a route.
  const fields = new URLSearchParams({ app, state: 'any', [name]: name === 'route' ? `"${value}"` : value });
  return (
    <Link to={`${faultsPath}?${fields.toString()}`} prefetch="never">
      {text}
    </Link>
  );
}

type SpreadOfProps = { readonly app: string; readonly spread: Spread; /** As the panel says. */ readonly read: number };

function SpreadOf({ app, spread, read }: SpreadOfProps) {
  const { name, isTag, values, rest, without, of: total } = spread;
  return (
    <section className="stack-1" aria-label={name}>
      <h3 className="text-sm">
        {isTag ? <span className="code">{name}</span> : name}
        {total === read ? null : <span className="text-quiet"> of {formatCount(total)} that say it</span>}
      </h3>
      <ul className="list-none text-sm">
        {values.map(({ value, count }) => (
          <Line key={value} name={<Value app={app} spread={spread} value={value} />} count={count} total={total} />
        ))}
        {rest > 0 ? <Line name={<span className="text-quiet">other values</span>} count={rest} total={total} /> : null}
        {without > 0 ? (
          <Line name={<span className="text-quiet">not said</span>} count={without} total={total} />
        ) : null}
      </ul>
    </section>
  );
}

/** Where all errors say the same, a bar says nothing. */
function isShared({ values, of }: Spread, total: number): boolean {
  return values.length === 1 && values[0]?.count === total && of === total;
}

function SharedValues({ spreads, app }: { spreads: readonly Spread[]; app: string }) {
  if (spreads.length === 0) return null;
  return (
    <section className="stack-1" aria-label="The same in all">
      <h3 className="text-sm">The same in all</h3>
      <Facts
        facts={spreads.flatMap((one) =>
          one.values.map(({ value }) => ({ name: one.name, value: <Value app={app} spread={one} value={value} /> })),
        )}
      />
    </section>
  );
}

/** The panel is beside the error: more would push the rest of the column below the end of the screen. */
const openSpreads = 6;

type FaultSpreadProps = {
  readonly fault: { readonly id: string; readonly app: string; readonly kept: number; readonly keptUntrusted: number };
};

/** Shows which releases, routes, browsers and tags it has: what its errors share, and what tells them apart. */
export async function FaultSpread({ fault }: FaultSpreadProps) {
  const { read, spreads } = await readFaultSpread(fault.id);
  if (read === 0) return null;
  // Where servers told it, what browsers report counts for nothing but the browsers.
  const counted = fault.kept > fault.keptUntrusted ? fault.kept - fault.keptUntrusted : fault.kept;
  const kept = formatCount(counted);
  const aside = read < counted ? `the newest ${formatCount(read)} of ${kept} kept` : `of ${kept} kept`;
  const different = spreads.filter((one) => !isShared(one, read));
  const [first, more] = [different.slice(0, openSpreads), different.slice(openSpreads)];
  return (
    <Panel title="Tags" aside={<span className="text-sm text-quiet">{aside}</span>}>
      {first.map((one) => (
        <SpreadOf key={`${one.isTag} ${one.name}`} app={fault.app} spread={one} read={read} />
      ))}
      {more.length > 0 ? (
        <details className="stack-3">
          <summary className="text-sm">{more.length} more</summary>
          {more.map((one) => (
            <SpreadOf key={`${one.isTag} ${one.name}`} app={fault.app} spread={one} read={read} />
          ))}
        </details>
      ) : null}
      <SharedValues app={fault.app} spreads={spreads.filter((one) => isShared(one, read))} />
    </Panel>
  );
}
