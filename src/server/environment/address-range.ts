import { type BlockList, isIP, SocketAddress } from 'node:net';

/** One spelling for each address: IPv4 inside IPv6 as IPv4, IPv6 shortened. Undefined for what is no address. */
export function canonicalize(text: string): string | undefined {
  const address = text.includes('%') ? text.slice(0, text.indexOf('%')) : text;
  switch (isIP(address)) {
    case 4:
      return address;
    case 6: {
      const short = new SocketAddress({ address, family: 'ipv6' }).address;
      const mapped = short.startsWith('::ffff:') ? short.slice('::ffff:'.length) : short;
      return isIP(mapped) === 4 ? mapped : short;
    }
    default:
      return undefined;
  }
}

/** An address, or all that share its first bits. */
export type AddressRange = {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
  /** How many bits are shared: all of them where it is one address. */
  readonly prefix: number;
};

/** `10.0.0.0/8` or `10.0.0.1`; undefined for anything else, an address with a zone included. */
export function parseRange(entry: string): AddressRange | undefined {
  const [text = '', bits, ...rest] = entry.split('/');
  const address = rest.length > 0 || text.includes('%') ? undefined : canonicalize(text);
  if (address === undefined) return undefined;
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  const longest = family === 'ipv4' ? 32 : 128;
  if (bits === undefined) return { address, family, prefix: longest };
  return /^\d{1,3}$/.test(bits) && Number(bits) <= longest ? { address, family, prefix: Number(bits) } : undefined;
}

/** @param address in its one spelling */
export function isListed(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}
