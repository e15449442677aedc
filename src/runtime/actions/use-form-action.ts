'use client';

import { useActionState, useRef, type FormEvent } from 'react';

import { readRefusal } from './action-errors.ts';

/**
 * React treats every rejected form action as a crash: the nearest error boundary takes the form's place, and what the
 * visitor typed is gone. A refusal is not a crash. Here it leaves the state as it was, and keeps React from resetting
 * the form as it does after a success; the notice says why. Everything else still reaches the boundary.
 *
 * The server renders the form with the action itself, because only that one works without JavaScript.
 */
function useKeptInput() {
  const refused = useRef(false);
  return {
    async run<Result>(call: () => Result, otherwise: Awaited<Result>): Promise<Awaited<Result>> {
      refused.current = false;
      try {
        return await call();
      } catch (error) {
        if (!readRefusal(error)) throw error;
        refused.current = true;
        return otherwise;
      }
    },
    /** React resets a form by calling its `reset()`, whose event can be cancelled. */
    onReset(event: FormEvent<HTMLFormElement>): void {
      if (refused.current) event.preventDefault();
      refused.current = false;
    },
  };
}

/** `useActionState` whose form survives a refusal: `<form {...form}>`. */
export function useFormState<State>(
  action: (state: Awaited<State>, form: FormData) => State | Promise<State>,
  initialState: Awaited<State>,
) {
  const { run, onReset } = useKeptInput();
  const [state, dispatch, pending] = useActionState<State, FormData>(
    import.meta.env.SSR ? action : (previous, form) => run(() => action(previous, form), previous),
    initialState,
  );
  return { state, pending, form: { action: dispatch, onReset } };
}

/** The same for a form whose action's result nobody reads: `<form {...useFormAction(save)}>`. */
export function useFormAction(action: (form: FormData) => void | Promise<void>) {
  const { run, onReset } = useKeptInput();
  return { action: import.meta.env.SSR ? action : (form: FormData) => run(() => action(form), undefined), onReset };
}
