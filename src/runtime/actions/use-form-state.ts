'use client';

import { useActionState } from 'react';

/**
 * `useActionState` whose state survives a refusal: `<form action={form}>`. A refused call of a form has no answer
 * (post-to-page-url.ts), so the state stays as it was; the notice says why. What the action throws reaches the boundary.
 *
 * The server renders the form with the action itself, because only that one works without JavaScript.
 */
export function useFormState<State>(
  action: (state: Awaited<State>, form: FormData) => State | Promise<State>,
  initialState: Awaited<State>,
) {
  const [state, form, pending] = useActionState<State, FormData>(
    import.meta.env.SSR ? action : async (previous, data) => (await action(previous, data)) ?? previous,
    initialState,
  );
  return { state, pending, form };
}
