import { readPage } from './find-link.ts';

/** Of Waku (src/server/http/waku-addresses.ts), whatever the app calls the place of its payloads. */
const wakuPayload = /^.*?\/R\/(.*)\.txt$/;

/** To which page of Waku an address of its payloads leads. */
export function readWakuPage(address: string | URL): string | undefined {
  const { pathname, searchParams } = new URL(address, location.href);
  const name = wakuPayload
    .exec(pathname)?.[1]
    ?.replace(/_$/, '')
    .replace(/^_(?:root$|(?=_))/, '');
  if (name === undefined) return undefined;
  const query = searchParams.get('query');
  return readPage(`/${name}${query ? `?${query}` : ''}`);
}
