import { currentRequest, type RequestContext } from './request-context.ts';

/**
 * What came of a form, for the page that is its answer. It stays with the request: a secret that is shown once, or a text that may
 * be one, must not stand in an address.
 */
export type FormOutcomes<Outcome> = {
  /** @throws outside a request */
  readonly note: (outcome: Outcome) => void;
  readonly current: () => Outcome | undefined;
};

export function createFormOutcomes<Outcome>(): FormOutcomes<Outcome> {
  const outcomes = new WeakMap<RequestContext, Outcome>();
  return {
    note(outcome) {
      const request = currentRequest();
      if (!request) throw new Error('A form was answered outside a request');
      outcomes.set(request, outcome);
    },
    current() {
      const request = currentRequest();
      return request && outcomes.get(request);
    },
  };
}
