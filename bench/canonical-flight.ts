/**
 * A payload as a tree that is the same however React numbered and ordered its rows: references are replaced by their
 * targets. For comparing the output of two renderers. It reads what the fixture's pages send, not the whole protocol.
 * Grammar: `<hex id>:<tag?><data>\n`, and `<hex id>:<tag><hex length>,<bytes>` for text and typed arrays.
 */
type Row = { readonly tag: string; readonly data: string };

/** Tags whose data begins with its length and has no line end. */
const lengthTags = 'TAOoUSsLlGgMmV';
/** Debug information of dev builds: owners, stacks, timings, console calls. */
const debugTags = new Set(['D', 'J', 'W', 'N']);
const referencePattern = /^\$([L@h]?)([0-9a-f]+)((?::.*)?)$/;

function splitRows(bytes: Buffer): { rows: Map<string, Row>; hints: string[] } {
  const rows = new Map<string, Row>();
  const hints: string[] = [];
  let at = 0;
  while (at < bytes.length) {
    const colon = bytes.indexOf(':', at);
    const id = bytes.toString('latin1', at, colon);
    const tag = bytes.toString('latin1', colon + 1, colon + 2);
    if (lengthTags.includes(tag)) {
      const comma = bytes.indexOf(',', colon);
      const length = Number.parseInt(bytes.toString('latin1', colon + 2, comma), 16);
      at = comma + 1 + length;
      rows.set(id, { tag, data: bytes.toString(tag === 'T' ? 'utf8' : 'hex', comma + 1, at) });
      continue;
    }
    const end = bytes.indexOf('\n', colon);
    const hasTag = /[A-Z]/.test(tag);
    const data = bytes.toString('utf8', colon + (hasTag ? 2 : 1), end);
    at = end + 1;
    if (tag === 'H') hints.push(data);
    else if (!hasTag || !debugTags.has(tag)) rows.set(id, { tag: hasTag ? tag : '', data });
  }
  return { rows, hints };
}

/** Elements of dev builds have their owner, stack and validation after the props. */
function dropDebugFields(value: readonly unknown[]): readonly unknown[] {
  return value[0] === '$' && value.length > 4 ? value.slice(0, 4) : value;
}

export function canonicalizeFlight(payload: Uint8Array): unknown {
  const { rows, hints } = splitRows(Buffer.from(payload));
  const open = new Set<string>();

  function resolve(id: string): unknown {
    const row = rows.get(id);
    if (!row) return 'missing row';
    if (open.has(id)) return 'cycle';
    open.add(id);
    const resolved = row.tag === '' ? walk(JSON.parse(row.data)) : row.tag === 'I' ? walkImport(row.data) : row;
    open.delete(id);
    return resolved;
  }

  function walkImport(data: string): unknown {
    const [, , name] = JSON.parse(data);
    return { import: walk(name) };
  }

  function walk(value: unknown): unknown {
    if (typeof value === 'string') {
      const match = referencePattern.exec(value);
      if (!match?.[2]) return value;
      return { to: resolve(match[2]), path: match[3] };
    }
    if (Array.isArray(value)) return dropDebugFields(value).map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => key !== '_buildId')
        .map(([key, entry]) => [key, walk(entry)]),
    );
  }

  return { root: resolve('0'), hints: hints.toSorted() };
}
