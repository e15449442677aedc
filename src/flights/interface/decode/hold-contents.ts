import type { KeptFile } from './file-store.ts';
import type { Content } from './read-content.ts';

/** What was found in so many files is held: two are compared, and one more is gone back to. */
const maxHeld = 3;
/** Of all of them: what is decoded takes three times as much. A larger file is read anew when somebody goes back to it. */
const maxHeldBytes = 4 * 1024 * 1024;

/** The content of the files that were read last. */
export function createHeld(readContent: (blob: Blob, isPasted: boolean) => Promise<Content>) {
  const held = new Map<string, { readonly content: Promise<Content>; readonly size: number }>();
  function hold(id: string, content: Promise<Content>, size: number): Promise<Content> {
    held.delete(id);
    held.set(id, { content, size });
    // What could not be read is read anew when somebody asks again.
    content.catch(() => held.get(id)?.content === content && held.delete(id));
    let bytes = [...held.values()].reduce((sum, one) => sum + one.size, 0);
    for (const [other, one] of held) {
      if (other === id || (held.size <= maxHeld && bytes <= maxHeldBytes)) break;
      held.delete(other);
      bytes -= one.size;
    }
    return content;
  }
  return {
    hold,
    read: ({ id, blob, isPasted }: Pick<KeptFile, 'id' | 'blob' | 'isPasted'>) =>
      hold(id, held.get(id)?.content ?? readContent(blob, isPasted), blob.size),
    drop: (id?: string) => void (id === undefined ? held.clear() : held.delete(id)),
  };
}
