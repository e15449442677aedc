/**
 * What the bytes of a payload are there for. A value's context follows from where it stands; it passes to what is inside,
 * and through a reference to the row that is sent for it. So the same string is text as a child, a class name as
 * `className`, and the page's data as any other prop.
 */
export const byteKinds = [
  /** What a person reads: strings and numbers among children, and raw HTML. */
  'text',
  /** Props and other values that are neither text nor class names: what the page gives its client components. */
  'data',
  'classes',
  /** Rows' ids and lengths, brackets and commas, elements' types, keys and the names of their props, references. */
  'structure',
  /** Client modules: metadata and the names of their files. */
  'imports',
  'binary',
  'errors',
  'hints',
  /** What a development server adds. */
  'debug',
  /** A row without its end, broken JSON, and what follows the byte where the payload broke. */
  'unread',
] as const;

export type ByteKind = (typeof byteKinds)[number];

export type ByteContext =
  | 'root'
  /** Where React expects a node: children. */
  | 'node'
  /** An element's props object. */
  | 'props'
  /** An element's mark, type and key. */
  | 'frame'
  | 'text'
  | 'data'
  | 'classes'
  | 'imports'
  | 'errors'
  | 'hints'
  | 'debug';

/** The kind of a string, a number or another scalar, and of a text row. */
export function scalarKind(context: ByteContext, isText: boolean): ByteKind {
  switch (context) {
    case 'root':
    case 'node':
      return isText ? 'text' : 'structure';
    case 'props':
    case 'frame':
      return 'structure';
    default:
      return context;
  }
}

/** The kind of a container's own bytes (brackets, commas, and an object's keys), and of references. */
export function frameKind(context: ByteContext): ByteKind {
  switch (context) {
    case 'root':
    case 'node':
    case 'props':
    case 'frame':
      return 'structure';
    default:
      return context;
  }
}

/** Contexts that hold for everything inside, elements included. */
function isFixed(context: ByteContext): boolean {
  return context === 'imports' || context === 'errors' || context === 'hints' || context === 'debug';
}

/** The kind of an element's own bytes, wherever it stands. */
export function elementFrameKind(context: ByteContext): ByteKind {
  return isFixed(context) ? frameKind(context) : 'structure';
}

export function itemContext(context: ByteContext): ByteContext {
  return context === 'root' || context === 'props' || context === 'frame' ? 'node' : context;
}

/** The context of an element's part, by its number. */
export function partContext(context: ByteContext, part: number): ByteContext {
  if (isFixed(context)) return context;
  if (part > 3) return 'debug';
  return part === 3 ? 'props' : 'frame';
}

/** The context of an object's member. */
export function memberContext(context: ByteContext, key: string): ByteContext {
  if (isFixed(context)) return context;
  if (key === 'className' || key === 'class') return 'classes';
  if (key === '__html') return 'text';
  return context === 'props' && key === 'children' ? 'node' : 'data';
}
