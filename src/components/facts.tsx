import type { ReactNode } from 'react';

export type Fact = {
  readonly name: string;
  readonly value: ReactNode;
};

/** Names with their values. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="grid text-sm">
      {facts.map(({ name, value }) => (
        <div
          key={name}
          className="grid gap-x-4 border-b border-line py-1.5 last:border-b-0 grid-cols-[6.5rem_minmax(0,1fr)]"
        >
          <dt className="text-quiet">{name}</dt>
          <dd className="[overflow-wrap:anywhere]">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
