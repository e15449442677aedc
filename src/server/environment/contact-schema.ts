import * as v from 'valibot';

import { mustBe } from './entry.ts';

/** Whom a visitor gives a digest to, as the error page says it. */

/** In characters. What the error page has room for in a line or two. */
const nameLimit = 80;
const addressLimit = 200;

/** One line that shows what it holds: a bidirectional control could make an address look like another. */
function isLine(limit: number): (text: string) => boolean {
  return (text) => text.length <= limit && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text);
}

/** Not what a standard allows, but what people have. Anything else is shown as text. */
const emailPattern = /^[^\s@:/?#<>"]{1,64}@[^\s@:/?#<>"]{1,120}$/;

export type ContactAddress = {
  readonly text: string;
  /** `mailto:…` without a query, or an address of the web. Empty: it is neither. */
  readonly href: string;
};

function toAddress(text: string): ContactAddress {
  if (emailPattern.test(text)) return { text, href: `mailto:${encodeURIComponent(text).replace('%40', '@')}` };
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  return { text, href: url?.href ?? '' };
}

export const contactEntries = {
  CONTACT_NAME: v.pipe(
    v.optional(
      v.pipe(v.string(), v.trim(), v.check(isLine(nameLimit), mustBe(`one line of at most ${nameLimit} characters`))),
    ),
    v.description('whom a visitor of an error page gives the digest to'),
  ),
  CONTACT_ADDRESS: v.pipe(
    v.optional(
      v.pipe(
        v.string(),
        v.trim(),
        v.check(isLine(addressLimit), mustBe(`one line of at most ${addressLimit} characters`)),
        v.transform(toAddress),
      ),
    ),
    v.description('how they are reached: an e-mail address, `https://…`, or anything else, which is shown as it is'),
  ),
};
