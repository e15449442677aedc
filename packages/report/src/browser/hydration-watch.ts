/**
 * React in production says that a page was not what it would have made (418, in React 18 also 423 and 425), and nothing of what or where.
 * It says so within the commit that takes the server's nodes out and puts its own in. An observer has both then, if it was there
 * before. What it is given otherwise is dropped at once.
 */
const mismatch = /^Minified React error #(?:418|42[235]);/;
/** Pages are hydrated while they load; what is streamed late, or waits for a click, soon after. */
const watchedAfterLoadMs = 30_000;

/** What one commit took out of an element of the page, and put in. */
export type Replaced = { readonly parent: Node; readonly removed: readonly Node[]; readonly added: readonly Node[] };

declare global {
  /** Of the script at the very beginning of a page, which keeps what happens before this one is loaded. */
  // oxlint-disable-next-line no-var
  var __flightObserver: MutationObserver | undefined;
}

export type HydrationWatch = {
  /**
   * Of an error that tells of a mismatch: what was replaced, as it is now. The page goes on to change what is in it. `told`: it tells of
   * the mismatch that another error has just told of.
   * @param records of the error's moment, where they were taken
   */
  readonly takeReplaced: (error: unknown, records?: readonly MutationRecord[]) => readonly Replaced[] | 'told';
};

/** In a document of its own no picture is loaded and no element begins to work. */
function copyInto(inert: Document, nodes: readonly Node[]): Node[] {
  return nodes.map((node) => inert.importNode(node, true));
}

function sortOut(records: readonly MutationRecord[]): Replaced[] {
  const parents = new Map<Node, { readonly removed: Node[]; readonly added: Node[] }>();
  for (const { target, removedNodes, addedNodes } of records) {
    const { removed, added } = parents.get(target) ?? { removed: [], added: [] };
    removed.push(...removedNodes);
    added.push(...addedNodes);
    parents.set(target, { removed, added });
  }
  const inert = document.implementation.createHTMLDocument();
  return [...parents]
    .filter(([, { removed, added }]) => removed.length > 0 || added.length > 0)
    .map(([parent, { removed, added }]) => ({ parent, removed, added: copyInto(inert, added) }));
}

function observe(): MutationObserver {
  const observer = new MutationObserver(() => undefined);
  observer.observe(document, { childList: true, subtree: true });
  return observer;
}

export function watchHydration(): HydrationWatch {
  const observer = globalThis.__flightObserver ?? observe();
  /** React 18 tells of one mismatch with several errors, in one task: 425 of a text, 418, and 423 of the whole root. */
  let latest: { readonly code: string; readonly replaced: readonly Replaced[] } | undefined;
  const stop = () => setTimeout(() => observer.disconnect(), watchedAfterLoadMs);
  if (document.readyState === 'complete') stop();
  else addEventListener('load', stop);
  return {
    takeReplaced(error, records = []) {
      const [code] = (error instanceof Error && mismatch.exec(error.message)) || [];
      if (code === undefined) return [];
      if (latest && latest.code !== code) return 'told';
      const all = [...records, ...observer.takeRecords()];
      latest = { code, replaced: all.length > 0 ? sortOut(all) : (latest?.replaced ?? []) };
      setTimeout(() => (latest = undefined));
      return latest.replaced;
    },
  };
}
