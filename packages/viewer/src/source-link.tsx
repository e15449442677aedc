import type { ReactNode } from 'react';

import { printRowOrigin, type SourcePlace } from '#flight';

import { useAddresses } from './viewer-addresses.ts';

type SourceLinkProps = {
  /** Undefined where it is not known. */
  readonly place: SourcePlace | undefined;
  readonly children: ReactNode;
};

/** What names a source: a link into the editor where there is one, else its children alone. */
export function SourceLink({ place, children }: SourceLinkProps) {
  const { openSource } = useAddresses();
  const href = place && openSource?.(place);
  if (href === undefined) return children;
  return (
    <a href={href} title="Open in the editor">
      {children}
    </a>
  );
}

/** Beside a text that names a source: the link alone, or nothing. */
export function OpenSource({ place }: Pick<SourceLinkProps, 'place'>) {
  const { openSource } = useAddresses();
  if (!place || openSource?.(place) === undefined) return null;
  return (
    <>
      {' '}
      <SourceLink place={place}>{printRowOrigin({ component: undefined, source: place })}</SourceLink>
    </>
  );
}
