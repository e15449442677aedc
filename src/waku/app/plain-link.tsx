'use client';

import { Link as WakuLink } from 'waku/router/client';
import type { Unstable_RoutePath as RoutePath } from 'waku/router/client-core';

import type { LinkProps } from './link-props.ts';

/** Waku's own `Link`, for an app without the part `navigation`. */
export function FlightRecorderPlainLink<Path extends RoutePath>(props: LinkProps<Path>) {
  const rest = { ...props };
  // Waku would write them into the HTML.
  for (const ours of ['replace', 'prefetch']) Reflect.deleteProperty(rest, ours);
  return <WakuLink {...rest} />;
}
