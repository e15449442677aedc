import { describe, expect, test } from 'vitest';

import { checkFieldCount, checkOrigin } from './check-request.ts';

test('a decoded form has at most a thousand fields, repeated names included', () => {
  const form = new FormData();
  for (let count = 0; count < 1000; count += 1) form.append('same', '');
  expect(checkFieldCount(form)).toBeUndefined();
  form.append('same', '');
  expect(checkFieldCount(form)).toEqual({ code: 'too-many-fields', detail: '1001 fields' });
});

describe('the origin of a request that a proxy has given another name', () => {
  function check(headers: Record<string, string>): string | undefined {
    const request = new Request('http://10.0.0.7:3000/', { method: 'POST', headers });
    return checkOrigin(request, 'https://shop.example')?.code;
  }

  test('is the public one, where that is known', () => {
    expect(check({ origin: 'https://shop.example', 'sec-fetch-site': 'same-origin' })).toBeUndefined();
    expect(check({ origin: 'http://10.0.0.7:3000' })).toBeUndefined();
    const plain = new Request('http://10.0.0.7:3000/', { method: 'POST', headers: { origin: 'https://shop.example' } });
    expect(checkOrigin(plain)?.code).toBe('wrong-origin');
  });

  test.each([
    { origin: 'http://shop.example' },
    { origin: 'https://shop.example.evil.example' },
    { origin: 'null' },
    { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://shop.example', 'sec-fetch-site': 'same-site' },
  ])('is no other one: %j', (headers) => {
    expect(check(headers)).toBe('wrong-origin');
  });
});
