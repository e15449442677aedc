'use client';

import { navigate, type NavigateOptions } from './router-connection.ts';

type Navigate = {
  readonly push: (href: string, options?: Pick<NavigateOptions, 'scroll'>) => Promise<void>;
  readonly replace: (href: string, options?: Pick<NavigateOptions, 'scroll'>) => Promise<void>;
  /** Fetches the current page anew and keeps what its client components hold. */
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
 * Navigation from code, on the same path as links. The promises resolve when the router has dealt with the navigation,
 * before the page is painted, and do not reject: a failure is shown by the error boundary.
 */
export function useNavigate(): Navigate {
  return functions;
}
