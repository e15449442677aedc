/** What happened before an error: as a request notes it, as a sender sends it, and as a receiver takes it. */
export type Breadcrumb = {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly category: string;
  readonly message: string;
  readonly level: 'info' | 'warning' | 'error';
  readonly data?: Readonly<Record<string, string | number>> | undefined;
};

/** As much as an error shows of one. Browsers' reports are cut to the same limits. */
const limits = { category: 64, message: 512, name: 64, value: 512 } as const;

/** @param cut the beginning of a text that a limit has room for: in characters for its sender, in bytes for a receiver */
export function cutBreadcrumb(
  { data, ...noted }: Breadcrumb,
  cut = (text: string, limit: number) => text.slice(0, limit),
): Breadcrumb {
  const facts = Object.entries(data ?? {}).map(
    ([name, value]) => [cut(name, limits.name), typeof value === 'string' ? cut(value, limits.value) : value] as const,
  );
  return {
    ...noted,
    category: cut(noted.category, limits.category),
    message: cut(noted.message, limits.message),
    ...(facts.length > 0 ? { data: Object.fromEntries(facts) } : {}),
  };
}
