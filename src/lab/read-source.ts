import 'server-only';

const sources = import.meta.glob<string>(['./**/*.{ts,tsx}', '../pages/lab/*.tsx'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** The text of a module of an experiment, such as `src/lab/slow.tsx`, as it was when the app was built. */
export function readSource(file: string): string {
  const source = sources[file.replace('src/lab/', './').replace('src/pages/', '../pages/')];
  if (source === undefined) throw new Error(`No experiment has the module ${file}`);
  return source;
}
