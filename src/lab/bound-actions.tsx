/**
 * Bound arguments and closures
 *
 * Two forms remove the same invoice. One action is bound to the invoice’s number with `bind`; the other is written inside the
 * component and uses the number from around it. An action has bound arguments. Who can read or change them? The buttons remove
 * nothing: look at what is sent.
 *
 * Look for: Follow `"bound":"$@3"` to row 3, `["invoice-2041"]`: anybody can read it and send another number, so the action has to
 * check it. The closure’s `"bound"` leads to row 5 and from there to row 6, some 70 characters. They are encrypted: only this build
 * of this server can read them.
 */
import { CounterForm } from './actions/counter-form.tsx';
import { removeInvoice } from './bound-actions/remove-invoice.ts';

export const group = 'A course, step by step';
export const order = 11;

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
