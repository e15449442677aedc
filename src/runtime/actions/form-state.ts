import type { HydrationOptions } from 'react-dom/client';

/**
 * A form that the browser submitted itself comes back as a page whose `useActionState` already holds the result.
 * React hydrates it only when it is given that state again, so the page carries it, and the client entry hands it on.
 * The state travels as JSON: what JSON cannot say (a Date, a Map) is a string or an object to the hydrating page.
 *
 * It is a string inside the script, parsed by `JSON.parse`: as a literal, a key `__proto__` would set a prototype.
 */
declare global {
  var __FLIGHT_FORM_STATE__: string | undefined;
}

/** JavaScript for an inline script, or nothing when no form was submitted. */
export function formStateScript(formState: unknown): string {
  if (formState === undefined || formState === null) return '';
  const text = JSON.stringify(JSON.stringify(formState)).replaceAll('<', '\\u003c');
  return `globalThis.__FLIGHT_FORM_STATE__=${text};`;
}

/** The options of `hydrateRoot` that the page's form state calls for. Taken once: a later root is not that form's. */
export function takeFormState(): Pick<HydrationOptions, 'formState'> {
  const text = globalThis.__FLIGHT_FORM_STATE__;
  if (text === undefined) return {};
  globalThis.__FLIGHT_FORM_STATE__ = undefined;
  return { formState: JSON.parse(text) };
}
