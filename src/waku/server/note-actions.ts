import 'server-only';

import type { fsRouter } from 'waku';
import { actions, strictActions } from 'virtual:flight-recorder/options';

import { runNoted } from '#src/runtime/actions/note-action.ts';
import { withFormActions } from '#src/runtime/actions/with-form-actions.ts';
import { withPageMethods } from '#src/runtime/actions/with-page-methods.ts';

type Handlers = Pick<ReturnType<typeof fsRouter>, 'handleRequest'>;

/** A form's action is decoded and run by Waku: what the form may hold, and how large it is, is the app's business. */
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
  if (strictActions) return withPageMethods(withFormActions(handlers));
  return actions ? withNotedCalls(handlers) : handlers;
}
