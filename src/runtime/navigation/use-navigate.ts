'use client';

import { navigate, type NavigateOptions } from './router-connection.ts';

type Navigate = {
  readonly push: (href: string, options?: Pick<NavigateOptions, 'scroll'>) => Promise<void>;
  readonly replace: (href: string, options?: Pick<NavigateOptions, 'scroll'>) => Promise<void>;
  /** Fetches the current page again. Its client components keep their state. */
  readonly reload: () => Promise<void>;
  readonly back: () => void;
  readonly forward: () => void;
};

const functions: Navigate = {
  push: (href, options) => navigate(href, { ...options, history: 'push' }),
  replace: (href, options) => navigate(href, { ...options, history: 'replace' }),
  reload: () => navigate(window.location.href, { history: 'reload' }),
  back: () => window.history.back(),
  forward: () => window.history.forward(),
};

/**
 * Navigation from code, in the same way as links. The promises resolve when the router has handled the navigation,
 * before the page is painted. They do not reject: the error boundary shows a failure.
 */
export function useNavigate(): Navigate {
  return functions;
}
