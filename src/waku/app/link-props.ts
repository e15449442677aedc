import type { LinkProps as WakuLinkProps } from 'waku/router/client';
import type { Unstable_RoutePath as RoutePath } from 'waku/router/client-core';

import type { LinkProps as RuntimeLinkProps } from '#src/runtime/navigation/link.tsx';

/** What is prefetched, and when, is not the page's to say one by one: `prefetch` says it for a link. */
type NotTaken = 'unstable_instant' | 'unstable_prefetchOnEnter' | 'unstable_prefetchOnView';

export type LinkProps<Path extends RoutePath> = Omit<WakuLinkProps<Path>, NotTaken> &
  Pick<RuntimeLinkProps, 'replace' | 'prefetch'>;
