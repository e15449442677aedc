import 'server-only';

import type { OperatorAccess } from '#src/server/http/request-context.ts';

import type { ApiRefusal } from './answer.ts';

/**
 * Of which apps a request may read. A token for some apps sees nothing of the others, and cannot tell what they have from what is not
 * there: both are not found.
 */
export function mayReadApp(access: OperatorAccess, app: string): boolean {
  return access.kind !== 'reader' || access.apps === undefined || access.apps.includes(app);
}

type Chosen = { readonly type: 'chosen'; readonly app: string | undefined } | ApiRefusal;

/**
 * The app of a list. A list is of one app or of all: a token for several has to name one.
 * @param asked the parameter `app`
 */
export function chooseApp(access: OperatorAccess, asked: string | null): Chosen {
  if (access.kind !== 'reader' || access.apps === undefined) return { type: 'chosen', app: asked ?? undefined };
  if (asked !== null) {
    return access.apps.includes(asked)
      ? { type: 'chosen', app: asked }
      : { type: 'refused', code: 'not-found', detail: 'an app that the token is not for' };
  }
  const [only, ...others] = access.apps;
  if (only !== undefined && others.length === 0) return { type: 'chosen', app: only };
  const problem = 'This token is for several apps: name one of them.';
  return {
    type: 'refused',
    code: 'wrong-parameter',
    detail: 'app is missing',
    more: { parameters: [{ name: 'app', problem }] },
  };
}
