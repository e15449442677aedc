'use client';

import { unstable_addBase as addBase } from 'waku/minimal/client';

import { basePath } from './base-path.ts';
import { navigate, type NavigateOptions } from './router-connection.ts';

export type Navigate = {
  readonly push: (href: string, options?: Pick<NavigateOptions, 'scroll'>) => Promise<void>;
  readonly replace: (href: string, options?: Pick<NavigateOptions, 'scroll'>) => Promise<void>;
  /** Fetches the current page again. Its client components keep their state. */
  readonly reload: () => Promise<void>;
  readonly back: () => void;
  readonly forward: () => void;
};

const functions: Navigate = {
  push: (href, options) => navigate(addBase(href, basePath), { ...options, history: 'push' }),
  replace: (href, options) => navigate(addBase(href, basePath), { ...options, history: 'replace' }),
  reload: () => navigate(window.location.href, { history: 'reload' }),
  back: () => window.history.back(),
  forward: () => window.history.forward(),
};

/**
 * Navigation from code, in the same way as links: what begins with a slash is below the base. The promises resolve when
 * the router has handled the navigation, before the page is painted. They do not reject: the error boundary shows a failure.
 */
export function useNavigate(): Navigate {
  return functions;
}
