import 'server-only';

import { decodeAction, decodeFormState } from '@vitejs/plugin-rsc/rsc/server';
import type { fsRouter } from 'waku';

import { runNoted } from './note-action.ts';
import { describeError } from '#boundary';
import { refuse } from '#src/server/http/refuse.ts';

type Handlers = Pick<ReturnType<typeof fsRouter>, 'handleRequest'>;

type RunForm = () => Promise<{ readonly action: true; readonly formState: unknown }>;

/**
 * A form that the browser submitted itself. Waku decodes and runs its action in one step, so a body that cannot be
 * decoded looks like an action that failed: a 500 with a digest. Here the two steps are separate.
 * @returns what runs the action, once, and notes how it ended; or what refuses the form
 */
export async function decodeForm(request: Request): Promise<RunForm | Response> {
  let form: FormData;
  let action: unknown;
  try {
    form = await request.formData();
    action = await decodeAction(form);
  } catch (error) {
    return refuse('malformed-request', 'page', describeError(error));
  }
  if (typeof action !== 'function') return refuse('malformed-action', 'page', 'the form names no action');
  const run = action;
  async function runForm() {
    return { action: true, formState: await decodeFormState(await runNoted(() => run()), form) } as const;
  }
  let result: ReturnType<RunForm> | undefined;
  // Waku renders the 404 page with the same input when the page is not found: the action has run by then.
  return () => (result ??= runForm());
}

/** A call by the page's JavaScript comes decoded; a form is decoded here. For both, the action's outcome is noted. */
export function withFormActions<T extends Handlers>(handlers: T): T {
  return {
    ...handlers,
    async handleRequest(input, utils) {
      if (input.type === 'call') {
        const { fn } = input;
        return handlers.handleRequest({ ...input, fn: (...args) => runNoted(() => fn(...args)) }, utils);
      }
      if (input.type !== 'http' || !input.tryAction) return handlers.handleRequest(input, utils);
      const run = await decodeForm(input.req);
      return run instanceof Response ? run : handlers.handleRequest({ ...input, tryAction: run }, utils);
    },
  };
}
