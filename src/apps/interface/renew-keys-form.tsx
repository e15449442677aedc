'use client';

import { renewKeys, type RenewState } from '#src/apps/actions/renew-keys.ts';
import { useFormState } from '#src/runtime/actions/use-form-state.ts';

import { FormNotice } from './form-notice.tsx';

const notices = {
  idle: undefined,
  renewed: { text: 'There are new keys. The texts above have them.', isProblem: false },
  'not-sure': { text: 'Nothing was changed: tick the box first.', isProblem: true },
  gone: { text: 'This app is not there any more.', isProblem: true },
} as const;

/** Behind a fold and a box: new keys break every sender that has the old ones. */
export function RenewKeysForm({ id }: { id: string }) {
  const { state, pending, form } = useFormState<RenewState>(renewKeys, { status: 'idle' });
  return (
    <div className="stack-2">
      <details>
        <summary>New keys</summary>
        <form action={form} className="stack-2 pt-2">
          <input type="hidden" name="id" value={id} />
          <p>
            The old keys stop working at once. Every proxy and every app that has <code>FLIGHT_RECORDER</code> with the
            old key is refused until it is started with the new one. What it sends meanwhile is lost, or waits at the
            sender. What is recorded already stays.
          </p>
          <label className="flex items-center gap-2">
            <input type="checkbox" name="sure" value="yes" required /> I will change it everywhere
          </label>
          <button type="submit" aria-busy={pending || undefined}>
            Make new keys
          </button>
        </form>
      </details>
      <FormNotice notice={notices[state.status]} />
    </div>
  );
}
