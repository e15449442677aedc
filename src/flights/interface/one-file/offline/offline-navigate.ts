import type { Navigate } from '#src/runtime/navigation/use-navigate.ts';

import { moveTo } from './offline-address.ts';

const functions: Pick<Navigate, 'push' | 'replace'> = {
  push: async (href) => moveTo(href, 'push'),
  replace: async (href) => moveTo(href, 'replace'),
};

/** In place of runtime/navigation/use-navigate.ts. */
export function useNavigate(): typeof functions {
  return functions;
}
