import { decodeFlight, describeApp, openPart, readMembers, readRow, rootPart, type Part } from '#flight';
import { escapeText } from '#boundary';

import type { Loaded } from '../open-loaded.ts';
import { checkStatus } from '../check-status.ts';

import { createShapeReader, readChildren, readShape, type ShapeReader } from './read-shape.ts';
import { foldNeighbours, type Shape } from './shapes.ts';

/**
 * A shape as text, for a snapshot: a line for each element and field, those inside it two spaces further in.
 *
 * A framework puts the page into an object of its own, with a build's number, the router's tree and the like. Of that object only
 * what leads to elements is shown, and what an action returned.
 */

/** Lines of one snapshot. Nobody reads more, and references can make a small payload endless. */
const maxLines = 20_000;

/** Where frameworks put what an action returned: Next.js, Waku, @vitejs/plugin-rsc, React Router and RedwoodSDK, Parcel. */
const results = new Set(['a', '_value', 'returnValue', 'actionResult', 'result']);

/** Arrays and objects of a framework between the root and the page. */
const maxEnvelope = 100;

function* printLines(shapes: readonly Shape[], indent: string): Generator<string> {
  for (const { line, inside } of shapes) {
    yield indent + escapeText(line);
    yield* printLines(inside, `${indent}  `);
  }
}

/** Of these the members' names are the framework's own; those of others are indexes. */
const withNames = new Set<string>(['object', 'map']);

/** What leads to elements in a framework's own data: Next.js keeps a page's segments in Maps and async iterables. */
function readEnvelope(reader: ShapeReader, part: Part, depth = 0): readonly Shape[] {
  const found = openPart(part, true);
  if (depth > maxEnvelope) return [];
  if (found.kind === 'value' && found.value.kind === 'element') return readChildren(reader, found);
  const hasNames = found.kind === 'value' && withNames.has(found.value.kind);
  // A row of bytes has a member for each, or a payload of its own.
  const isBytes = found.kind === 'row' && readRow(found.flight, found.row).kind === 'binary';
  const shapes = readMembers(found, 0, isBytes ? 1 : Infinity).flatMap(({ name, part: inside }) => {
    if (depth === 0 && results.has(name)) return readResult(reader, name, inside);
    const own = readEnvelope(reader, inside, depth + 1);
    return hasNames && own.length > 0 ? [reader.shapes.make(`${name}:`, own)] : own;
  });
  return foldNeighbours(shapes);
}

function readResult(reader: ShapeReader, name: string, part: Part): Shape[] {
  const shape = readShape(reader, part);
  return shape.line === 'null' || shape.line === 'undefined' ? [] : [reader.shapes.label(name, shape)];
}

function readPayloadShape(bytes: Uint8Array): readonly Shape[] {
  const flight = decodeFlight(bytes);
  const root = rootPart(flight);
  if (!root) return [];
  const reader = createShapeReader();
  if (describeApp(flight).framework) return readEnvelope(reader, root);
  return readChildren(reader, root);
}

/** The shape of each flight; several have a line before each that says which. */
export function writeShapes(loaded: Loaded): string {
  checkStatus(loaded, undefined);
  const { flights } = loaded;
  const lines: string[] = [];
  for (const { title, bytes } of flights) {
    if (flights.length > 1) lines.push(`# ${escapeText(title)}`);
    const shapes = readPayloadShape(bytes);
    if (shapes.length === 0) lines.push('no elements');
    for (const line of printLines(shapes, '')) {
      lines.push(line);
      if (lines.length < maxLines) continue;
      lines.push(`and more after ${maxLines} lines`);
      return lines.join('\n');
    }
  }
  return lines.join('\n');
}
