export default function ThrowBeforeShellPage(): never {
  throw new Error('canary-before-shell: thrown on purpose before the shell');
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
