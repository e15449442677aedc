/**
 * Missing data
 *
 * While a page renders, it finds that its data does not exist.
 *
 * Look for: The 404 page with status 404; after a navigation, the same page.
 */
import { unstable_notFound as notFound } from 'waku/router/server';

export const group = 'Data';
export const order = 2;
export const fails = true;

export default function MissingData(): never {
  notFound();
}
