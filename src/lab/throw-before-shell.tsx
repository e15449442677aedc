export function ThrowBeforeShell(): never {
  throw new Error('canary-before-shell: thrown on purpose before the shell');
}
