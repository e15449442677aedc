/** A sentence of ours in which what stands between two `…` is code. */
export function CodeWords({ text }: { text: string }) {
  return text.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>));
}
