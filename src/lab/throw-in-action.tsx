/**
 * Throw in an action
 *
 * A server action throws, called with JavaScript or by a plain form.
 *
 * Look for: Status 500 and a digest both ways.
 */
import { CounterForm } from './actions/counter-form.tsx';
import { throwOnPurpose } from './actions/throw-on-purpose.ts';

export const group = 'Server actions';
export const order = 2;

export default function ThrowInAction() {
  return (
    <>
      <p>The form’s action throws on the server; the page that follows says so, with the digest.</p>
      <CounterForm action={throwOnPurpose} label="Throw" />
    </>
  );
}
