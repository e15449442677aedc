/**
 * Bound arguments and closures
 *
 * Two forms remove the same invoice. One action is bound to the invoice’s number with `bind`; the other is written inside the
 * component and uses the number from around it.
 *
 * Look for: Two rows with `"bound"`. The argument of `bind` is there to read, and a visitor can change it: the action has
 * to check it. The closure’s is encrypted, some 70 characters, and only this build of this server can read it.
 */
import { CounterForm } from './actions/counter-form.tsx';
import { removeInvoice } from './bound-actions/remove-invoice.ts';

export const group = 'What goes over the wire';
export const order = 6;

export default function BoundActions() {
  const invoice = 'invoice-2041';

  async function removeThis() {
    'use server';
    await removeInvoice(invoice);
  }

  return (
    <>
      <h2>Bound</h2>
      <CounterForm action={removeInvoice.bind(null, invoice)} label="Remove, bound" />
      <h2>Closure</h2>
      <CounterForm action={removeThis} label="Remove, closure" />
    </>
  );
}
