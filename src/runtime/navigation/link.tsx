'use client';

import { useCallback, useTransition, type ComponentProps, type MouseEvent, type Ref, type SyntheticEvent } from 'react';
import { unstable_addBase as addBase } from 'waku/minimal/client';

import type { PrefetchTrigger } from '#src/server/http/flight-headers.ts';

import { basePath } from './base-path.ts';
import { observeLink, prefetchLink } from './link-prefetching.ts';
import { currentConnection, navigate, type NavigateOptions } from './router-connection.ts';

export type LinkProps = Omit<ComponentProps<'a'>, 'href'> & {
  /** A path of this app, with query and hash where needed, or any URL. */
  readonly to: string;
  /** Replaces the current history entry. */
  readonly replace?: boolean;
  /** Whether to scroll. By default it scrolls when path or hash change. */
  readonly scroll?: boolean;
  /** `viewport`: when near the screen or pointed at. `intent`: only when pointed at (hover, focus, touch). */
  readonly prefetch?: 'viewport' | 'intent' | 'never';
};

/**
 * Links that the browser handles better: other windows, downloads, other sites, and places on the page that is shown.
 */
function isForBrowser(link: HTMLAnchorElement): boolean {
  if (link.origin !== window.location.origin || link.hasAttribute('download')) return true;
  return link.target !== '' && link.target !== '_self';
}

function isModified(event: MouseEvent): boolean {
  return event.button !== 0 || event.metaKey || event.altKey || event.ctrlKey || event.shiftKey;
}

function attachRef(ref: Ref<HTMLAnchorElement> | undefined, link: HTMLAnchorElement): (() => void) | undefined {
  if (typeof ref === 'function') return ref(link) ?? (() => void ref(null));
  if (!ref) return undefined;
  ref.current = link;
  return () => {
    ref.current = null;
  };
}

/**
 * A link that the router follows. It is a real `<a href>`, so everything that a browser does with links still works,
 * also without JavaScript. While its page loads it has `aria-busy` and `data-pending`.
 */
export function Link({ to, replace, scroll, prefetch = 'viewport', ref, onClick, children, ...rest }: LinkProps) {
  const href = addBase(to, basePath);
  const [isPending, startTransition] = useTransition();

  const attach = useCallback(
    (link: HTMLAnchorElement) => {
      const stop = prefetch === 'viewport' && !isForBrowser(link) ? observeLink(link, href) : undefined;
      const detach = attachRef(ref, link);
      return () => {
        stop?.();
        detach?.();
      };
    },
    [href, prefetch, ref],
  );

  function intend<Event extends SyntheticEvent<HTMLAnchorElement>>(
    trigger: PrefetchTrigger,
    handle: ((event: Event) => void) | undefined,
  ) {
    return (event: Event) => {
      handle?.(event);
      const link = event.currentTarget;
      if (prefetch !== 'never' && !isForBrowser(link)) prefetchLink(link.href, trigger);
    };
  }

  function follow(event: MouseEvent<HTMLAnchorElement>) {
    onClick?.(event);
    const link = event.currentTarget;
    if (event.defaultPrevented || isModified(event) || isForBrowser(link) || !currentConnection()) return;
    const { pathname, search, href: here } = window.location;
    if (link.hash !== '' && link.pathname === pathname && link.search === search) return;
    event.preventDefault();
    // As in any browser, a link to the page that is shown loads it again.
    const history = link.href === here ? 'reload' : replace ? 'replace' : 'push';
    const options: NavigateOptions = scroll === undefined ? { history } : { history, scroll };
    startTransition(() => navigate(link.href, options));
  }

  return (
    <a
      aria-busy={isPending || undefined}
      data-pending={isPending || undefined}
      {...rest}
      ref={attach}
      href={href}
      onClick={follow}
      onMouseEnter={intend('hover', rest.onMouseEnter)}
      onFocus={intend('focus', rest.onFocus)}
      onTouchStart={intend('touch', rest.onTouchStart)}
    >
      {children}
    </a>
  );
}
