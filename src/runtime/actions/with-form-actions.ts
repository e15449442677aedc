import 'server-only';

import { decodeAction, decodeFormState } from '@vitejs/plugin-rsc/rsc/server';
import type { fsRouter } from 'waku';

import { runNoted } from './note-action.ts';
import { describeError } from '#src/http/describe-error.ts';
import { refuse } from '#src/http/refuse.ts';

type Handlers = Pick<ReturnType<typeof fsRouter>, 'handleRequest'>;

/**
 * A form that the browser submitted itself. Waku decodes and runs its action in one step, so a body that cannot be
 * decoded looks like an action that failed: a 500 with a digest. Here the two steps are separate. A call by the page's
 * JavaScript comes decoded. For both, the action's outcome is noted.
 */
export function withFormActions<T extends Handlers>(handlers: T): T {
  return {
    ...handlers,
    async handleRequest(input, utils) {
      if (input.type === 'call') {
        const { fn } = input;
        return handlers.handleRequest({ ...input, fn: (...args) => runNoted(() => fn(...args)) }, utils);
      }
      if (input.type !== 'http' || !input.tryAction) return handlers.handleRequest(input, utils);
      let form: FormData;
      let action: unknown;
      try {
        form = await input.req.formData();
        action = await decodeAction(form);
      } catch (error) {
        return refuse('malformed-request', 'page', describeError(error));
      }
      if (typeof action !== 'function') return refuse('malformed-action', 'page', 'the form names no action');
      const run = action;
      let result: Promise<{ action: true; formState: unknown }> | undefined;
      async function runOnce() {
        return { action: true, formState: await decodeFormState(await runNoted(() => run()), form) } as const;
      }
      // Waku renders the 404 page with the same input when the page is not found: the action has run by then.
      return handlers.handleRequest({ ...input, tryAction: () => (result ??= runOnce()) }, utils);
    },
  };
}
