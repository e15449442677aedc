/** Waku's name of a page's own part: what surrounds an experiment is the same for all. */
export function isPage(part: string): boolean {
  return part.startsWith('page:');
}
