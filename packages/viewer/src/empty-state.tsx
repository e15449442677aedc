import type { ReactNode } from 'react';

/** Says that there is nothing, why that may be, and what a person can do about it. */
export function EmptyState({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="stack-1.5 py-4">
      <h3>{title}</h3>
      <div className="stack-2 text-quiet">{children}</div>
    </div>
  );
}
