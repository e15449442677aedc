/**
 * Throw in server rendering only
 *
 * A client component throws while the server renders it to HTML, and never in the browser.
 *
 * Look for: Without JavaScript an error page that says server-side; with it, the browser renders the page after all. The error
 * is listed with the phase ssr and a component stack.
 */
import { ThrowInSsr } from './throw-in-ssr/throw-in-ssr.tsx';

export const group = 'Errors and their digests';
export const order = 4;
export const fails = true;

export default function ThrowInSsrLab() {
  return <ThrowInSsr />;
}
