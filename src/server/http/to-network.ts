/**
 * What a rate is counted for: an IPv4 address, or the /64 that a provider gives to one customer, who may use any of its
 * 2⁶⁴ addresses.
 * @param address in its one spelling, as `RequestContext.address` is
 */
export function toNetwork(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail = ''] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === '' ? [] : tail.split(':');
  const zeros = Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array<string>(zeros).fill('0'), ...last];
  return `${groups.slice(0, 4).join(':')}::/64`;
}

/**
 * An address as it may be kept and shown: the network of some hundred connections or of a few customers, and no person's.
 * @param address in its one spelling; what is no address stays as it is
 */
export function shortenAddress(address: string): string {
  const [first, second, third, fourth] = address.split('.');
  if (fourth !== undefined) return `${first}.${second}.${third}.0/24`;
  return address.includes(':') ? toNetwork(address).replace(/:[^:]*::\/64$/, '::/48') : address;
}
