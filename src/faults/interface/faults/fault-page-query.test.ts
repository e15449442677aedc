import { expect, it } from 'vitest';

import { formatFaultPage, parseFaultPageQuery } from './fault-page-query.ts';

it('an address says which error is shown', () => {
  const query = { error: 'shop.1', from: 'shop.2' };
  const address = formatFaultPage('7k3m9qrt', query);
  expect(address).toBe('/faults/7k3m9qrt?error=shop.1&from=shop.2');
  expect(parseFaultPageQuery(address.slice(address.indexOf('?')))).toMatchObject(query);
});

it('an address of a message that was sent before the name changed leads to the same error', () => {
  expect(parseFaultPageQuery('?occurrence=shop.1')).toMatchObject({ error: 'shop.1' });
  expect(parseFaultPageQuery('?occurrence=shop.1&error=shop.2')).toMatchObject({ error: 'shop.2' });
});
