import type { ByteViewId } from './byte-views.ts';

/**
 * A link into the map: `#tab=bytes&by=kinds&part=class names`. The viewer keeps its tab and its row in the address
 * (view-hash.ts); what the map shows is read when the panel appears, and not kept.
 */
const viewIds: readonly ByteViewId[] = ['nesting', 'names', 'kinds', 'rows'];

export type MapStart = { readonly view: ByteViewId | undefined; readonly part: string | undefined };

export function parseMapHash(hash: string): MapStart {
  const parameters = new URLSearchParams(hash.replace(/^#/, ''));
  const by = parameters.get('by');
  return { view: viewIds.find((id) => id === by), part: parameters.get('part') ?? undefined };
}

/** The link to one part of a view, by its name. */
export function formatMapHash(view: ByteViewId, part: string): string {
  return `#tab=bytes&by=${view}&part=${encodeURIComponent(part)}`;
}
