import type { Attribution } from './attribution.ts';
import { createElementNames } from './element-names.ts';
import type { Flight } from './flight.ts';
import type { Place } from './place.ts';
import { printRow, printValue } from './print-value.ts';
import { resolveTarget, type Resolved } from './resolve.ts';
import { readRow, type Row } from './row.ts';
import { readElement, readEntries, readItems, type Value } from './value.ts';
import { valueToJson } from './value-to-json.ts';

/** One of the two payloads: its values with references followed, in the form that is compared and shown. */
export type DiffNode = {
  kind: 'array' | 'object' | 'element' | 'other';
  /** Of values that hold others: their place, for pairs already compared. */
  id: string;
  /** All there is to compare of a value that holds no others; undefined for a container. */
  scalar: string | undefined;
  /** What must be the same for two containers to be compared inside. */
  signature: string;
  /** What must be the same for two items of lists to be one. */
  match: string;
  isKeyed: boolean;
  /** How an element is called in a path. */
  label: string | undefined;
  bytes: number;
  place: Place;
  value: Value | undefined;
  row: Row | undefined;
};

export type DiffValue = {
  /** In a few words. */
  text: string;
  bytes: number;
  place: Place;
};

/** A value that holds no others. */
function createLeaf(scalar: string, from: Pick<DiffNode, 'bytes' | 'place' | 'value' | 'row'>): DiffNode {
  return { kind: 'other', id: '', scalar, signature: '', match: scalar, isKeyed: false, label: undefined, ...from };
}

export type DiffSide = {
  root: DiffNode;
  readMembers: (node: DiffNode) => [string, DiffNode][];
  readItems: (node: DiffNode) => DiffNode[];
  describe: (node: DiffNode) => DiffValue;
};

const latin1 = new TextDecoder('latin1');
const passed = new Set([
  'reference',
  'lazy',
  'promise',
  'server-reference',
  'map',
  'set',
  'iterator',
  'form-data',
  'blob',
]);
/** Followed and not mentioned: React sends large values in rows of their own, and a lazy value that came is just that value. */
const transparent = new Set(['reference', 'lazy']);

/** Hops from promise to map to row. */
const maxHops = 20;

export function createDiffSide(flight: Flight, attribution: Attribution): DiffSide {
  const names = createElementNames(flight);

  function open(value: Value): DiffNode {
    const outer: string[] = [];
    let found: Resolved = { kind: 'value', value };
    for (let hop = 0; hop < maxHops && found.kind === 'value'; hop++) {
      const { value: current } = found;
      if (!passed.has(current.kind) || !('id' in current)) break;
      if (!transparent.has(current.kind)) outer.push(current.kind);
      found = resolveTarget(flight, current);
    }
    const prefix = outer.join(' ');
    if (found.kind === 'value') return openValue(found.value, prefix);
    if (found.kind === 'row') return openRow(found.row, value, prefix);
    return other(`${prefix} ${found.kind}`, value, undefined);
  }

  function openValue(value: Value, prefix: string): DiffNode {
    const { row, start, end, at } = value;
    const bytes = attribution.totals[at] ?? end - start;
    const shared = { id: String(at), bytes, place: { row, start, end }, value, row: undefined };
    if (value.kind === 'element') {
      const { key } = readElement(flight, value);
      const { name, kind } = names.typeOf(row, at);
      const keyText = key === undefined || key.kind === 'null' ? undefined : JSON.stringify(valueToJson(flight, key));
      const label = keyText === undefined ? `<${name}>` : `<${name} key=${keyText}>`;
      const signature = `${prefix} ${kind} ${label}`;
      const isKeyed = keyText !== undefined;
      return { ...shared, kind: 'element', scalar: undefined, signature, match: signature, isKeyed, label };
    }
    if (value.kind === 'array' || value.kind === 'object') {
      const { kind } = value;
      return {
        ...shared,
        kind,
        scalar: undefined,
        signature: prefix,
        match: `${prefix} ${kind}`,
        isKeyed: false,
        label: undefined,
      };
    }
    return other(`${prefix} ${JSON.stringify(valueToJson(flight, value))}`, value, undefined);
  }

  function openRow(row: Row, value: Value, prefix: string): DiffNode {
    switch (row.kind) {
      case 'text':
        return other(`${prefix} ${JSON.stringify(row.text)}`, value, row);
      case 'binary':
      case 'bytes':
        return other(`${prefix} ${row.kind} ${row.tag} ${latin1.decode(row.data)}`, value, row);
      case 'error':
        // Each occurrence of an error has a new digest, so digests are not compared.
        return other(`${prefix} error`, value, row);
      default:
        return other(`${prefix} ${row.kind} ${printRow(flight, row)}`, value, row);
    }
  }

  function other(scalar: string, value: Value, row: Row | undefined): DiffNode {
    const { start, end } = row ?? value;
    const bytes = row ? (attribution.rowTotals[row.row] ?? 0) : end - start;
    const place = { row: row ? row.row : value.row, start, end };
    return createLeaf(scalar, { bytes, place, value, row });
  }

  function readMembers({ kind, value }: DiffNode): [string, DiffNode][] {
    if (!value) return [];
    if (kind === 'object') return readEntries(flight, value).map((entry) => [entry.key, open(entry.value)]);
    const { props } = readElement(flight, value);
    if (!props) return [];
    const opened = open(props);
    return opened.kind === 'object' ? readMembers(opened) : [['props', opened]];
  }

  function readRoot(): DiffNode {
    const row = flight.root === undefined ? undefined : readRow(flight, flight.root);
    if (!row) {
      const place = { row: 0, start: 0, end: 0 };
      return { ...createLeaf('no root', { bytes: 0, place, value: undefined, row: undefined }), match: '' };
    }
    if (row.kind === 'model') return open(row.value);
    const scalar = row.kind === 'error' ? ' error' : ` ${row.kind} ${printRow(flight, row)}`;
    const place = { row: row.row, start: row.start, end: row.end };
    return createLeaf(scalar, { bytes: row.end - row.start, place, value: undefined, row });
  }

  function describe({ row, value, bytes, place }: DiffNode): DiffValue {
    const text = row ? printRow(flight, row) : value ? printValue(flight, value) : 'nothing';
    return { text, bytes, place };
  }

  return {
    root: readRoot(),
    readMembers,
    readItems: ({ value }) => (value ? readItems(flight, value).map(open) : []),
    describe,
  };
}
