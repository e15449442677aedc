import type { MouseEvent } from 'react';

import type { LinkProps } from '#src/runtime/navigation/link.tsx';

import { moveTo, toOwnAddress } from './offline-address.ts';

/** In place of runtime/navigation/link.tsx: a link within the file. */
export function Link({ to, replace, scroll: _scroll, prefetch: _prefetch, onClick, children, ...rest }: LinkProps) {
  function follow(event: MouseEvent<HTMLAnchorElement>) {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.altKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    moveTo(to, replace ? 'replace' : 'push');
  }
  return (
    <a {...rest} href={toOwnAddress(to) || '?'} onClick={follow}>
      {children}
    </a>
  );
}
