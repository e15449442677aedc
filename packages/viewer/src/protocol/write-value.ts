import {
  countChildren,
  type Flight,
  findEntry,
  printElementType,
  printRow,
  readElement,
  readEntries,
  readItems,
  readRow,
  resolveTarget,
  type Row,
  type Target,
  type Value,
} from '#flight';

/**
 * A value as a person would write it in JavaScript and JSX, with what it refers to in its place: `new Map([["a", 1]])`,
 * `<Counter start={3} />`. It is for the short examples of /protocol; printValue is for a payload of any size.
 */
type Writer = {
  readonly flight: Flight;
  /** The values that are being written, to stop at one that contains itself. */
  readonly open: readonly number[];
};

/** The examples are shorter; this bounds a mistake. */
const maxDepth = 40;
const maxText = 72;

export function writeRoot(flight: Flight): string {
  if (flight.root === undefined) return 'nothing: the root row is missing';
  return writeRow({ flight, open: [] }, readRow(flight, flight.root));
}

function writeText(text: string): string {
  const more = text.length - maxText;
  return more > 0 ? `${JSON.stringify(text.slice(0, maxText))} and ${more} more characters` : JSON.stringify(text);
}

function writeRow(writer: Writer, row: Row): string {
  switch (row.kind) {
    case 'model':
      return write(writer, row.value);
    case 'text':
      return writeText(row.text);
    case 'binary':
    case 'bytes':
      return writeBytes(row.kind === 'binary' ? row.type : 'Uint8Array', row.data);
    case 'stream-start':
      return writeStream(writer, row);
    case 'error':
      return row.digest ? `an Error with the digest ${JSON.stringify(row.digest)}` : 'an Error';
    case 'halted':
      return 'never';
    default:
      return printRow(writer.flight, row);
  }
}

function writeBytes(type: string, data: Uint8Array): string {
  return `${type} of ${data.length} bytes: ${JSON.stringify(new TextDecoder().decode(data))}`;
}

const streamNames = {
  'readable-stream': 'ReadableStream',
  'byte-stream': 'ReadableStream of bytes',
  'async-iterable': 'async iterable',
  'async-iterator': 'async iterator',
} as const;

/** What a stream gives: the rows with its id that follow its first. */
function writeStream(writer: Writer, start: Row & { kind: 'stream-start' }): string {
  const { flight } = writer;
  const items: string[] = [];
  let end = ', not complete';
  for (let index = start.row + 1; index < flight.rows.count; index++) {
    const row = readRow(flight, index);
    if (row.id !== start.id || row.kind === 'debug') continue;
    if (row.kind === 'stream-end') end = row.value ? `, returned ${write(writer, row.value)}` : '';
    else items.push(writeRow(writer, row));
  }
  return `${streamNames[start.stream]}: ${items.join(', ')}${end}`;
}

function write(outer: Writer, value: Value): string {
  const isContainer = countChildren(outer.flight, value) > 0;
  if (outer.open.length > maxDepth || (isContainer && outer.open.includes(value.at))) return '(itself)';
  const writer = isContainer ? { ...outer, open: [...outer.open, value.at] } : outer;
  switch (value.kind) {
    case 'null':
    case 'undefined':
      return value.kind;
    case 'boolean':
      return String(value.value);
    case 'number':
      return Object.is(value.value, -0) ? '-0' : String(value.value);
    case 'string':
      return writeText(value.value);
    case 'array':
      return `[${writeItems(writer, value)}]`;
    case 'object':
      return writeObject(writer, value);
    case 'element':
      return writeElement(writer, value);
    case 'bigint':
      return `${value.digits}n`;
    case 'date':
      return `new Date(${JSON.stringify(value.iso)})`;
    case 'symbol':
      return `Symbol.for(${JSON.stringify(value.name)})`;
    default:
      return writeForm(writer, value);
  }
}

function writeItems(writer: Writer, value: Value): string {
  return readItems(writer.flight, value)
    .map((item) => write(writer, item))
    .join(', ');
}

function writeObject(writer: Writer, value: Value): string {
  // React's client drops these.
  const entries = readEntries(writer.flight, value).filter(
    ({ key, value: member }) => key !== '__proto__' && member.kind !== 'undefined',
  );
  if (entries.length === 0) return '{}';
  const members = entries.map(({ key, value: member }) => {
    const name = /^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key);
    return `${name}: ${write(writer, member)}`;
  });
  return `{ ${members.join(', ')} }`;
}

function writeElement(writer: Writer, value: Value): string {
  const { flight } = writer;
  const { type, key, props } = readElement(flight, value);
  const name = printElementType(flight, type);
  const keyText = key?.kind === 'string' ? ` key=${JSON.stringify(key.value)}` : '';
  const entries = props ? readEntries(flight, props) : [];
  const attributes = entries
    .filter((entry) => entry.key !== 'children')
    .map((entry) => ` ${entry.key}=${writeAttribute(writer, entry.value)}`)
    .join('');
  const children = props && findEntry(flight, props, 'children');
  if (!children) return `<${name}${keyText}${attributes} />`;
  return `<${name}${keyText}${attributes}>${writeChild(writer, children)}</${name}>`;
}

function writeAttribute(writer: Writer, value: Value): string {
  return value.kind === 'string' ? JSON.stringify(value.value) : `{${write(writer, value)}}`;
}

function writeChild(writer: Writer, value: Value): string {
  if (value.kind === 'string') return value.value;
  if (value.kind === 'element') return write(writer, value);
  if (value.kind !== 'array') return `{${write(writer, value)}}`;
  return readItems(writer.flight, value)
    .map((item) => writeChild(writer, item))
    .join('');
}

/** What a target leads to: undefined when it has not come. */
function writeTarget(writer: Writer, target: Target): string | undefined {
  const found = resolveTarget(writer.flight, target);
  if (found.kind === 'value') return write(writer, found.value);
  return found.kind === 'row' ? writeRow(writer, found.row) : undefined;
}

function writeForm(writer: Writer, value: Value): string {
  switch (value.kind) {
    case 'reference':
    case 'binary':
      return writeTarget(writer, value) ?? '(not there yet)';
    case 'stream':
      return writeTarget(writer, value) ?? streamNames[value.stream];
    case 'lazy':
      return `lazy: ${writeTarget(writer, value) ?? 'not there yet'}`;
    case 'promise':
      return `Promise of ${writeTarget(writer, value) ?? 'what is not there yet'}`;
    case 'never':
      return 'Promise that never resolves';
    case 'map':
      return `new Map(${writeTarget(writer, value) ?? '…'})`;
    case 'set':
      return `new Set(${writeTarget(writer, value) ?? '…'})`;
    case 'iterator':
      return `${writeTarget(writer, value) ?? '…'}.values()`;
    case 'form-data':
      return `FormData of ${writeTarget(writer, value) ?? '…'}`;
    case 'blob':
      return `Blob of ${writeTarget(writer, value) ?? '…'}`;
    case 'server-reference':
      return writeAction(writer, value);
    case 'error':
      return value.target ? `an Error of ${writeTarget(writer, value.target) ?? '…'}` : 'an Error';
    case 'temporary':
      return value.path === '' ? 'what the browser kept' : `what the browser kept at ${value.path}`;
    case 'constructor':
      return `the class of ${writeTarget(writer, value) ?? '…'}`;
    case 'function-source':
      return value.source;
    case 'omitted':
      return 'left out';
    default:
      return value.kind;
  }
}

/** A server reference: the id of the action, and what is bound to it. */
function writeAction(writer: Writer, target: Target): string {
  const found = resolveTarget(writer.flight, target);
  if (found.kind !== 'value') return 'an action';
  const id = findEntry(writer.flight, found.value, 'id');
  const bound = findEntry(writer.flight, found.value, 'bound');
  const name = `the action ${id ? write(writer, id) : ''}`;
  return bound && bound.kind !== 'null' ? `${name}, bound to ${write(writer, bound)}` : name;
}
