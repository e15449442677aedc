import 'server-only';

import type { ReactNode } from 'react';

export function Section({ anchor, title, children }: { anchor: string; title: string; children: ReactNode }) {
  return (
    <section id={anchor} className="protocol-section" aria-labelledby={`${anchor}-title`}>
      <h2 id={`${anchor}-title`}>{title}</h2>
      {children}
    </section>
  );
}
