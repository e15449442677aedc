/** What the parser gives for a piece of code, by what packing uses of it. */
export type Node = { readonly type: string; readonly start: number; readonly end: number };

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** Calls `see` for `node` and all below it. */
export function visit(node: unknown, see: (node: Node) => void): void {
  if (Array.isArray(node)) {
    for (const child of node) visit(child, see);
    return;
  }
  if (!isNode(node)) return;
  see(node);
  for (const child of Object.values(node)) if (typeof child === 'object') visit(child, see);
}

export function readName(node: unknown): string | undefined {
  return typeof node === 'object' && node !== null && 'name' in node && typeof node.name === 'string'
    ? node.name
    : undefined;
}
