import 'server-only';

import type { fsRouter } from 'waku';
import { actions, strictActions } from 'virtual:flight-recorder/options';

import { createFormCheck } from '#src/runtime/middleware/page-actions.ts';
import { hasAction } from '#src/runtime/actions/known-actions.ts';
import { runNoted } from '#src/runtime/actions/note-action.ts';

import { readPublicOrigin } from '../beside/read-reach.ts';
import { withCheckedForms } from './check-forms.ts';

type Handlers = Pick<ReturnType<typeof fsRouter>, 'handleRequest'>;

/** Without `strictActions`, Waku decodes and runs the action of a form. The app decides what a form may hold, and how large it may be. */
function withNotedCalls<T extends Handlers>(handlers: T): T {
  return {
    ...handlers,
    handleRequest(input, utils) {
      if (input.type !== 'call') return handlers.handleRequest(input, utils);
      const { fn } = input;
      return handlers.handleRequest({ ...input, fn: (...args) => runNoted(() => fn(...args)) }, utils);
    },
  };
}

export function withActions<T extends Handlers>(handlers: T): T {
  if (strictActions) {
    const checkForm = createFormCheck({ hasAction, publicOrigin: readPublicOrigin() });
    return withNotedCalls(withCheckedForms(handlers, checkForm));
  }
  return actions ? withNotedCalls(handlers) : handlers;
}
