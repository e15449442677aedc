'use server';

const invoices = new Set(['invoice-2041', 'invoice-2042']);

/** Bound arguments come from the browser, so they can be anything. */
export async function removeInvoice(invoice: unknown): Promise<void> {
  if (typeof invoice !== 'string' || !invoices.has(invoice)) return;
  // Nothing is removed: the next visitor tries the same.
}
