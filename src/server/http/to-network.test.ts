import { expect, test } from 'vitest';

import { toNetwork } from './to-network.ts';

test.each([
  ['', ''],
  ['198.51.100.1', '198.51.100.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::1:2:3:4:5:6', '0:0:1:2::/64'],
])('%s counts as %s', (address, network) => expect(toNetwork(address)).toBe(network));
