export type Entry = { readonly id: number; readonly name: string; readonly text: string };

/** In memory: it begins anew with each start. */
const entries: Entry[] = [
  { id: 1, name: 'Ada', text: 'A pleasant stay.' },
  { id: 2, name: 'Grace', text: 'Found a bug in the garden.' },
];

/** More would be somebody's script. */
const maxEntries = 100;

export function listEntries(): readonly Entry[] {
  return entries;
}

export function addEntry(name: string, text: string): boolean {
  if (entries.length >= maxEntries) return false;
  entries.push({ id: entries.length + 1, name, text });
  return true;
}
