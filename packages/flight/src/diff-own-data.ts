import type { Path } from './diff-groups.ts';
import { readItemsOf, readMembers, type DiffNode } from './diff-side.ts';
import { describeApp } from './describe-app.ts';
import type { Flight } from './flight.ts';
import type { Framework } from './frameworks/framework-records.ts';

/**
 * Which differences are in a framework's own data: the state of its router, cache times, what frames the page's head. Of Next.js
 * that is most of two payloads' differences in number, and nothing that the page's author wrote. So they are a reader's last.
 *
 * What holds an element of the page is the page's, wherever it is; so is what a server action returned.
 */
export type OwnData = {
  readonly framework: Framework;
  readonly isOwn: (path: Path, nodes: readonly DiffNode[]) => boolean;
};

/** What Next.js puts around the page's metadata. Each is Next.js's as a whole, and its key is of one request. */
export const nextFrames: ReadonlySet<string> = new Set(['ViewportBoundary', 'MetadataBoundary', 'OutletBoundary']);

/** Values that are looked at for an element of the page. With more, it is taken for the page's. */
const maxLooked = 500;
/** For all differences of two payloads. References make a few rows a tree without end, and each difference would look at its own. */
const maxLookedInAll = 200_000;

/** Returns undefined when the two are not of one framework whose own data is known. */
export function findOwnData(before: Flight, after: Flight): OwnData | undefined {
  const facts = [describeApp(before), describeApp(after)];
  if (facts.some(({ framework }) => framework?.guess !== 'next')) return undefined;
  const isAction = facts.some(({ purpose }) => purpose === 'action');
  const looks = { left: maxLookedInAll };
  const findElement = createElementFinder();
  return {
    framework: 'next',
    isOwn(path, nodes) {
      if (isAction && isResult(path)) return false;
      const isOutside = findElement(path, nodes) === undefined;
      return nodes.every((node) => (isOutside || isRouter(node) || isFrame(node)) && !holdsPage(node, looks));
    },
  };
}

/** What an action returned is `a`, and until Next.js 14 the first of two items. At the root itself it is not told apart. */
function isResult(path: Path): boolean {
  let at = path;
  while (at?.outer) at = at.outer;
  return at === undefined || at.name === 'a' || at.name === '0';
}

type FindElement = (path: Path, nodes: readonly DiffNode[]) => Path;

/**
 * The nearest element around a value. The path of one that is an element ends with it; children are their element's own. What was found is
 * remembered: a payload may be ten thousand levels deep, and differ in each.
 */
function createElementFinder(): FindElement {
  const known = new WeakMap<NonNullable<Path>, { readonly element: Path }>();

  function find(path: Path): Path {
    const passed: NonNullable<Path>[] = [];
    let at = path;
    for (; at && at.kind !== 'element' && !known.has(at); at = at.outer) passed.push(at);
    const found = (at && known.get(at)) ?? { element: at };
    for (const one of passed) known.set(one, found);
    return found.element;
  }

  return (path, nodes) =>
    find(path?.kind === 'element' && nodes.some(({ kind }) => kind === 'element') ? path.outer : path);
}

function isFrame({ kind, label = '' }: DiffNode): boolean {
  return kind === 'element' && nextFrames.has(label.slice(1, -1));
}

/** Says whether the element is Next.js's layout router, which has no name of its own. */
function isRouter(node: DiffNode): boolean {
  return node.kind === 'element' && readMembers(node).some(([name]) => name === 'parallelRouterKey');
}

function listParts(node: DiffNode): DiffNode[] {
  if (node.kind === 'array') return readItemsOf(node);
  if (node.kind === 'object') return readMembers(node).map(([, member]) => member);
  if (node.kind !== 'element' || isFrame(node)) return [];
  return readMembers(node).flatMap(([name, member]) => (name === 'template' && isBare(member) ? [] : [member]));
}

/** Whether there is an element in a value that is not the framework's. */
function holdsPage(node: DiffNode, looks: { left: number }): boolean {
  const todo = [node];
  for (let looked = 0; looked < maxLooked && looks.left > 0; looked++) {
    const at = todo.pop();
    if (!at) return false;
    if (at.kind === 'element' && !isFrame(at) && !isRouter(at)) return true;
    const parts = listParts(at);
    looks.left -= 1 + parts.length;
    for (const part of parts.slice(0, maxLooked)) todo.push(part);
  }
  return true;
}

/** The router's `template` is one more component of its own, without props, unless the app has a template. */
function isBare(node: DiffNode): boolean {
  return node.kind === 'element' && readMembers(node).length === 0;
}
