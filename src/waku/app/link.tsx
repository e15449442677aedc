'use client';

import type { ReactElement } from 'react';
import {
  type Unstable_RoutePath as RoutePath,
  unstable_buildRouteHref as buildRouteHref,
  useResolveSearchCodec_UNSTABLE as useResolveSearchCodec,
} from 'waku/router/client-core';
import { navigation } from 'virtual:flight-recorder/options';

import { Link } from '#src/runtime/navigation/link.tsx';

import type { LinkProps } from './link-props.ts';
import { FlightRecorderPlainLink } from './plain-link.tsx';

function PrefetchingLink<Path extends RoutePath>({ to, ...rest }: LinkProps<Path>) {
  const resolveCodec = useResolveSearchCodec();
  return <Link {...rest} to={typeof to === 'string' ? to : buildRouteHref(to, resolveCodec)} />;
}

/**
 * Waku's `Link` with prefetching, a limit on how long a page may load, and `aria-busy` and `data-pending` while it does. Where the part
 * `navigation` is off, it is Waku's own.
 */
export function FlightRecorderLink<Path extends RoutePath>(props: LinkProps<Path>): ReactElement {
  return navigation ? <PrefetchingLink {...props} /> : <FlightRecorderPlainLink {...props} />;
}
