import { expect, it } from 'vitest';

import { decodeFlight } from './decode-flight.ts';
import { readLinks } from './links.ts';

it('reads which links say that they are not prefetched', () => {
  const rows = [
    '1:I["link",["c","c.js"],"Link"]',
    '2:"/a/long/address/of/a/page"',
    '0:["$","ul",null,{"children":[["$","$L1",null,{"href":"/a","prefetch":false}],["$","$L1",null,{"href":"$2"}],' +
      '["$","$L1",null,{"href":"/b","prefetch":"none"}],["$","$L1",null,{"href":"/c","prefetch":true}],["$","p",null,{}]]}]',
  ];
  const flight = decodeFlight(new TextEncoder().encode(`${rows.join('\n')}\n`));
  expect(readLinks(flight)).toEqual([
    { href: '/a', isNeverPrefetched: true, isWhollyPrefetched: false },
    { href: '/a/long/address/of/a/page', isNeverPrefetched: false, isWhollyPrefetched: false },
    { href: '/b', isNeverPrefetched: true, isWhollyPrefetched: false },
    { href: '/c', isNeverPrefetched: false, isWhollyPrefetched: true },
  ]);
});

it('leaves out an address that no browser would take, however many links refer to it', () => {
  const links = Array(8_000).fill('["$","a",null,{"href":"$1"}]').join(',');
  const flight = decodeFlight(
    new TextEncoder().encode(`1:"/${'h'.repeat(400_000)}"\n0:[${links},["$","a",null,{"href":"/a"}]]\n`),
  );
  expect(readLinks(flight)).toEqual([{ href: '/a', isNeverPrefetched: false, isWhollyPrefetched: false }]);
});
