import { maskedText } from '../masked-text.ts';
import { readWakuPage } from './waku-page.ts';

/**
 * Waku shows a page and then changes the address. What React says meanwhile in place of an error of the server is of the page that was
 * asked for, and not of the one whose address is still there.
 */
export type AskedPage = {
  readonly onFetch: (address: string | URL, headers: Headers) => void;
  readonly onNavigation: () => void;
  /** The address of the page that an error is of. */
  readonly readAddress: (error: unknown) => string;
};

export function createAskedPage(): AskedPage {
  let asked: string | undefined;
  return {
    onFetch(address, headers) {
      const etags = headers.get('x-waku-etags');
      // Of what it asks for ahead it has no part.
      if (etags !== null && etags !== '{}') asked = readWakuPage(address) ?? asked;
    },
    onNavigation: () => (asked = undefined),
    readAddress: (error) =>
      asked !== undefined && error instanceof Error && maskedText.test(error.message)
        ? new URL(asked, location.href).href
        : location.href,
  };
}
