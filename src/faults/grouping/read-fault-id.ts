import 'server-only';

/** As src/faults/grouping/note-error.ts makes them. */
const idPattern = /^[0-9a-hjkmnp-tv-z]{8}$/;

/** A fault's id in what a person typed or pasted: the id, or the address of its page. Undefined when there is none. */
export function readFaultId(typed: string): string | undefined {
  const text = typed.trim().slice(0, 2_000);
  const named = /\/faults\/([^/?#\s]+)/.exec(text)?.[1] ?? text;
  const id = named.toLowerCase();
  return idPattern.test(id) ? id : undefined;
}
