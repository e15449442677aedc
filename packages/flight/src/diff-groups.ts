import { describeNode, readWhole, type DiffContent, type DiffNode, type DiffValue } from './diff-side.ts';

/**
 * Differences for a reader: those that are the same change are one group, wherever they are, and the heaviest group is first.
 * The same change is: one text or number that became another in the same prop of elements of one name; elements of one name
 * that were added to, removed from or moved within elements of one name. Those in the framework's own data come last.
 *
 * All differences are counted. Words and contents are read for what is listed alone.
 */
export type DiffKind = 'added' | 'removed' | 'changed' | 'moved';

export type DiffEntry = {
  /** From the root: keys, positions, and elements as `<li key="3">`. */
  path: readonly string[];
  before: DiffValue | undefined;
  after: DiffValue | undefined;
};

export type DiffGroup = {
  kind: DiffKind;
  /** It is in the framework's own data (diff-own-data.ts). */
  isOwnData: boolean;
  /** The nearest element around it, without its key; undefined outside all. */
  inside: string | undefined;
  /** From there to the value; empty for the element's own content. Positions are `*` where there are several differences. */
  names: readonly string[];
  /** How many differences it is. */
  count: number;
  /** Of all of them together, in bytes of either payload. */
  beforeBytes: number;
  afterBytes: number;
  /** Of the first: all that is different, up to 2,000 characters. */
  before: DiffContent | undefined;
  after: DiffContent | undefined;
  /** The first in the order of the page, at most 1,000. */
  entries: readonly DiffEntry[];
};

/** A step of a path; that of an element ends with the element. Paths share their outer steps. */
export type Path = { name: string; kind: 'element' | 'name' | 'position'; outer: Path } | undefined;

type Difference = {
  kind: DiffKind;
  isOwnData: boolean;
  path: Path;
  before: DiffNode | undefined;
  after: DiffNode | undefined;
};

/** Groups listed, with their contents: some megabytes at most. */
const maxGroups = 2000;

/** Differences listed of one group, and of all. */
const maxOfGroup = 1000;
const maxEntries = 20_000;

/** Parts of a path that are listed; of a deeper one its end. */
const maxPath = 60;

type Gathered = Omit<DiffGroup, 'before' | 'after' | 'entries'> & { differences: Difference[] };

/** What the differences in the framework's own data are together. What moved adds no bytes. */
export type OwnSum = { differences: number; beforeBytes: number; afterBytes: number };

export type Gatherer = {
  add: (difference: Difference) => void;
  read: () => {
    groups: DiffGroup[];
    unlisted: { groups: number; differences: number; bytes: number };
    own: OwnSum;
  };
};

export function createGatherer(): Gatherer {
  const groups = new Map<string, Gathered>();

  function add(difference: Difference): void {
    const { kind, isOwnData, path, before, after } = difference;
    const { inside, names } = readNames(path, before ?? after);
    const what = [before, after].map((node) => (node ? nameChange(node) : '')).join('\0');
    const key = [kind, String(isOwnData), inside ?? '', ...names, '', what].join('\0');
    let group = groups.get(key);
    if (!group) {
      group = { kind, isOwnData, inside, names, count: 0, beforeBytes: 0, afterBytes: 0, differences: [] };
      groups.set(key, group);
    }
    group.count += 1;
    group.beforeBytes += before?.bytes ?? 0;
    group.afterBytes += after?.bytes ?? 0;
    if (group.differences.length < maxOfGroup) group.differences.push(difference);
  }

  function read() {
    const sorted = [...groups.values()].toSorted(
      (a, b) => Number(a.isOwnData) - Number(b.isOwnData) || weigh(b) - weigh(a),
    );
    let left = maxEntries;
    const listed = sorted.slice(0, maxGroups).map(({ differences, ...group }): DiffGroup => {
      const [first] = differences;
      const entries = differences.slice(0, Math.max(1, left)).map(toEntry);
      left -= entries.length;
      const names =
        group.count === 1 && first ? readNames(first.path, first.before ?? first.after, true).names : group.names;
      const [before, after] = [first?.before, first?.after].map((node) => node && readWhole(node));
      return { ...group, names, before, after, entries };
    });
    const rest = sorted.slice(maxGroups);
    const unlisted = {
      groups: rest.length,
      differences: rest.reduce((sum, { count }) => sum + count, 0),
      bytes: rest.reduce((sum, group) => sum + weigh(group), 0),
    };
    return { groups: listed, unlisted, own: sumUp(sorted.filter(({ isOwnData }) => isOwnData)) };
  }

  return { add, read };
}

function sumUp(groups: readonly Gathered[]): OwnSum {
  const sum: OwnSum = { differences: 0, beforeBytes: 0, afterBytes: 0 };
  for (const { kind, count, beforeBytes, afterBytes } of groups) {
    sum.differences += count;
    if (kind === 'moved') continue;
    sum.beforeBytes += beforeBytes;
    sum.afterBytes += afterBytes;
  }
  return sum;
}

/** What a group is worth reading: the bytes of its larger side. What only moved comes last. */
function weigh({ kind, beforeBytes, afterBytes }: Gathered): number {
  return kind === 'moved' ? 0 : Math.max(beforeBytes, afterBytes);
}

/** Elements are the same change when they have one name, other values when they are equal. */
function nameChange({ kind, label, scalar, signature }: DiffNode): string {
  if (kind === 'element') return withoutKey(label ?? '');
  return scalar ?? signature;
}

function withoutKey(label: string): string {
  const key = label.startsWith('<') && label.endsWith('>') ? label.indexOf(' key=') : -1;
  return key === -1 ? label : `${label.slice(0, key)}>`;
}

/**
 * Reads the names from the end of a path to the nearest element around the value. The value itself does not count, also when it is an
 * element.
 */
function readNames(
  path: Path,
  node: DiffNode | undefined,
  isExact = false,
): { inside: string | undefined; names: string[] } {
  const names: string[] = [];
  let at = path;
  if (at?.kind === 'element' && node?.kind === 'element') at = at.outer;
  let isBare = true;
  for (; at && at.kind !== 'element' && names.length < maxPath; at = at.outer) {
    isBare &&= at.kind === 'position';
    names.unshift(at.kind === 'position' && !isExact ? '*' : at.name);
  }
  // Positions among children say nothing: the content of an element is one thing to a reader.
  if (isBare && at) names.length = 0;
  return { inside: at && withoutKey(at.name), names };
}

function toEntry({ path, before, after }: Difference): DiffEntry {
  const names: string[] = [];
  for (let at = path; at && names.length < maxPath; at = at.outer) names.unshift(at.name);
  return { path: names, before: before && describeNode(before), after: after && describeNode(after) };
}
