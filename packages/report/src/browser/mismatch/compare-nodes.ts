import { nameElement } from '../name-element.ts';
import type { Replaced } from '../hydration-watch.ts';

/**
 * The first place where what React made differs from what the server had sent. Comments, scripts and what else React passes over are no
 * difference; neighbouring texts are one, since the server parts them with comments.
 */
export type Difference = {
  readonly kind: 'text' | 'element' | 'attribute';
  /** Names of elements, the outermost first. */
  readonly where: readonly string[];
  /** Undefined: it had nothing there. */
  readonly server: string | undefined;
  readonly browser: string | undefined;
  /** Where `server` or `browser` is an element or has one: its name, for a look at whose it is. */
  readonly name: string;
};

type Piece = Element | string;

const passedOver = 'script,style,link,meta,title,base,template,noscript,[hidden][id^="S:"]';
/** What somebody typed or chose. */
const neverTold = new Set(['value', 'nonce']);
/** A tree that is deeper is not read to its end. */
const depthLimit = 200;

function listPieces(nodes: Iterable<Node>): Piece[] {
  const pieces: Piece[] = [];
  for (const node of nodes) {
    if (node.nodeType === Node.ELEMENT_NODE && node instanceof Element) {
      if (!node.matches(passedOver)) pieces.push(node);
    } else if (node.nodeType === Node.TEXT_NODE) {
      const before = pieces.at(-1);
      if (typeof before === 'string') pieces.push((pieces.pop() ?? '') + (node.textContent ?? ''));
      else pieces.push(node.textContent ?? '');
    }
  }
  return pieces.filter((piece) => piece !== '');
}

function nameOf(piece: Piece | undefined): string {
  return piece === undefined || typeof piece === 'string' ? '' : piece.localName;
}

/** An element with its first words. */
function describe(piece: Piece | undefined): string | undefined {
  if (piece === undefined || typeof piece === 'string') return piece;
  const classes = piece.getAttribute('class');
  const text = (piece.textContent ?? '').trim().slice(0, 40);
  return `<${piece.localName}${classes === null ? '' : ` class="${classes.slice(0, 60)}"`}>${text}`;
}

/** Where all else is the same. React itself passes over attributes, so this is a cause that it did not name. */
function compareAttributes(server: Element, browser: Element): Difference | undefined {
  const names = new Set([...server.getAttributeNames(), ...browser.getAttributeNames()]);
  for (const name of names) {
    const [was, is] = [server.getAttribute(name), browser.getAttribute(name)];
    // The same style is spelled in two ways.
    if (was === is || name === 'style' || neverTold.has(name)) continue;
    return {
      kind: 'attribute',
      where: [],
      name,
      server: was === null ? undefined : `${name}="${was}"`,
      browser: is === null ? undefined : `${name}="${is}"`,
    };
  }
  return undefined;
}

function comparePieces(
  server: readonly Piece[],
  browser: readonly Piece[],
  where: readonly string[],
): Difference | undefined {
  let found: Difference | undefined;
  for (let at = 0; at < Math.max(server.length, browser.length); at += 1) {
    const [was, is] = [server[at], browser[at]];
    if (was === is) continue;
    if (typeof was === 'string' && typeof is === 'string') {
      return { kind: 'text', where, server: was, browser: is, name: '' };
    }
    if (was instanceof Element && is instanceof Element && was.localName === is.localName) {
      const inside = [...where, nameElement(is)];
      const attribute = compareAttributes(was, is);
      if (attribute) found ??= { ...attribute, where: inside };
      if (inside.length > depthLimit) continue;
      const deeper = comparePieces(listPieces(was.childNodes), listPieces(is.childNodes), inside);
      if (deeper && deeper.kind !== 'attribute') return deeper;
      found ??= deeper;
      continue;
    }
    // One that only one side has: the other's stands where it goes on.
    const isMore = was !== undefined && nameOf(server[at + 1]) === nameOf(is) && server.length > browser.length;
    const isLess = is !== undefined && nameOf(browser[at + 1]) === nameOf(was) && browser.length > server.length;
    return {
      kind: 'element',
      where,
      server: isLess ? undefined : describe(was),
      browser: isMore ? undefined : describe(is),
      name: isLess ? nameOf(is) : nameOf(was) || nameOf(is),
    };
  }
  return found;
}

function listParents(parent: Node): string[] {
  const names: string[] = [];
  for (
    let node: Node | null = parent;
    node instanceof HTMLElement && node.localName !== 'html';
    node = node.parentElement
  ) {
    names.unshift(nameElement(node));
  }
  return names;
}

export function findDifference(replaced: readonly Replaced[]): Difference | undefined {
  let found: Difference | undefined;
  for (const { parent, removed, added } of replaced) {
    const difference = comparePieces(listPieces(removed), listPieces(added), listParents(parent));
    if (difference && difference.kind !== 'attribute') return difference;
    found ??= difference;
  }
  return found;
}
