/** What a digest looks like on the error pages of apps of these frameworks: those of Next.js are numbers. */
export function exampleDigest(frameworks: readonly string[]): string {
  const isNext = (framework: string) => framework === 'next';
  const others = frameworks.filter((framework) => framework !== '' && !isNext(framework));
  if (!frameworks.some(isNext)) return 'XXXXX-XXXXX';
  return others.length === 0 ? '2418436719' : 'XXXXX-XXXXX or 2418436719';
}
