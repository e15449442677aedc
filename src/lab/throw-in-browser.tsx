/**
 * Throw in the browser
 *
 * A client component throws when its first button is pressed; the second one’s handler throws by itself.
 *
 * Look for: An error that says client-side and points to the browser console, and the browser’s report of it.
 */
import { ThrowInBrowser } from './throw-in-browser/throw-in-browser.tsx';

export const group = 'Errors and their digests';
export const order = 5;

export default function ThrowInBrowserLab() {
  return <ThrowInBrowser />;
}
