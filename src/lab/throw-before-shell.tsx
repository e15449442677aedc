/**
 * Throw before the shell
 *
 * A server component throws before anything of the page was sent.
 *
 * Look for: Status 500 and a complete error page with a digest, also without JavaScript. After a navigation, the same inside
 * this layout.
 */
export const group = 'Errors and their digests';
export const order = 1;
export const fails = true;

export default function ThrowBeforeShell(): never {
  throw new Error('canary-before-shell: thrown on purpose before the shell');
}
