'use client';

import { useFormState } from '#src/runtime/actions/use-form-state.ts';

import { saveNickname, type NicknameState } from './save-nickname.ts';

function describe(state: NicknameState): string {
  switch (state.status) {
    case 'empty':
      return 'No attempt yet.';
    case 'refused':
      return `Attempt ${state.attempts}: ${state.reason}`;
    case 'saved':
      return `Attempt ${state.attempts}: hello, ${state.nickname}.`;
  }
}

export function NicknameForm() {
  const { state, pending, form } = useFormState<NicknameState>(saveNickname, { status: 'empty' });
  return (
    <form action={form} aria-label="Nickname">
      <label>
        Nickname <input name="nickname" defaultValue={state.status === 'refused' ? state.typed : ''} />
      </label>{' '}
      <button disabled={pending}>Save nickname</button>
      <p>
        <output data-testid="nickname">{describe(state)}</output>
      </p>
    </form>
  );
}
