import 'server-only';

import type { fsRouter } from 'waku';

import type { CheckedForm } from '#src/runtime/middleware/page-actions.ts';
import { decodeForm } from '#src/runtime/actions/with-form-actions.ts';

type Handlers = Pick<ReturnType<typeof fsRouter>, 'handleRequest'>;

/**
 * Checks the forms that are sent to a page of the app, when the router runs their actions and not before. It never runs actions for a
 * route of the app's API, nor for what the app's middleware answers: what is sent to those is neither read nor refused.
 */
export function withCheckedForms<T extends Handlers>(
  handlers: T,
  checkForm: (request: Request) => Promise<CheckedForm>,
): T {
  return {
    ...handlers,
    async handleRequest(input, utils) {
      if (input.type !== 'http' || !input.tryAction) return handlers.handleRequest(input, utils);
      const { req } = input;
      let refused: Response | undefined;

      function endWith(response: Response): never {
        refused = response;
        // The router passes it on, and renders nothing.
        throw new Error('a form was refused');
      }

      async function run() {
        const checked = await checkForm(req);
        if (checked.outcome === 'refused') return endWith(checked.response);
        if (checked.outcome === 'no-action') return { action: false, formData: checked.form } as const;
        const decoded = await decodeForm(req);
        return decoded instanceof Response ? endWith(decoded) : decoded();
      }

      let running: ReturnType<typeof run> | undefined;
      // Twice where the page is not found, for the page and for the 404 page.
      const tryAction = () => (running ??= run());
      try {
        const result = await handlers.handleRequest({ ...input, tryAction }, utils);
        return refused ?? result;
      } catch (error) {
        if (refused) return refused;
        throw error;
      }
    },
  };
}
