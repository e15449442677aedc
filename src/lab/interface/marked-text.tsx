/** A sentence of a doc comment, in which `code` stands between backticks as in any comment. */
export function MarkedText({ text }: { text: string }) {
  const parts = text.split(/`([^`]+)`/);
  // Parts have no identity but their place: the text is never edited in place.
  return parts.map((part, place) => (place % 2 === 1 ? <code key={`${place}`}>{part}</code> : part));
}
