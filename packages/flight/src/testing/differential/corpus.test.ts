import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { describe, expect, test } from 'vitest';

import { decodeFlight } from '../../decode-flight.ts';
import { decodeReply, type Reply } from '../../decode-reply.ts';
import type { Flight } from '../../flight.ts';
import { guessFramework, guessReact } from '../../framework.ts';
import { readFlightFromFrames } from '../../from-frames.ts';
import { readFlightsFromHar } from '../../from-har.ts';
import { readFlightFromHtml } from '../../from-html.ts';
import { readNestedFlight } from '../../nested-flight.ts';
import { readRow } from '../../row.ts';
import { repairPasted, sniff } from '../../sniff.ts';
import { describeFlight } from './describe-flight.ts';
import { loadLine } from './react-lines.ts';
import { readEverything } from './read-everything.ts';
import { describeWithReact, renameServerReferences } from './responses.ts';

/**
 * Payloads from elsewhere, of which none may be kept here: `FLIGHT_CORPUS=<folder> npx vitest run corpus` decodes every
 * file of a folder and prints one line for each. Where React 19.3's client reads a payload too, both must have read the
 * same.
 */
const folder = process.env['FLIGHT_CORPUS'];

function listFiles(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

type Found =
  | { kind: 'flights'; source: string; flights: Flight[] }
  | { kind: 'reply'; reply: Reply }
  | { kind: 'none' };

function readFile(bytes: Uint8Array): Found {
  const text = new TextDecoder().decode(bytes);
  const sniffed = sniff(bytes);
  switch (sniffed.kind) {
    case 'flight':
      return { kind: 'flights', source: 'flight', flights: [decodeFlight(repair(bytes, text))] };
    case 'html': {
      const flights = readFlightFromHtml(text).map((found) => decodeFlight(found.bytes));
      return flights.length > 0 ? { kind: 'flights', source: 'html', flights } : { kind: 'none' };
    }
    case 'har': {
      const har = readFlightsFromHar(text);
      const flights = har.kind === 'har' ? har.flights.map((found) => decodeFlight(found.bytes)) : [];
      return { kind: 'flights', source: 'har', flights };
    }
    case 'reply':
      return { kind: 'reply', reply: decodeReply(text) };
    case 'multipart':
      return { kind: 'reply', reply: decodeReply(bytes) };
    case 'frames':
      return {
        kind: 'flights',
        source: 'frames',
        flights: readFlightFromFrames(bytes).map((found) => decodeFlight(found.bytes)),
      };
    case 'other':
    case 'compressed':
    case 'json':
    case 'empty':
    case 'unknown':
      return { kind: 'none' };
    default:
      return sniffed satisfies never;
  }
}

function repair(bytes: Uint8Array, text: string) {
  const repaired = repairPasted(text);
  return repaired === text ? bytes : new TextEncoder().encode(repaired);
}

function describeRows(flight: Flight) {
  const rows = Array.from({ length: flight.rows.count }, (_, row) => readRow(flight, row));
  const strange = rows.filter(({ kind }) => kind === 'unknown' || kind === 'broken');
  const nested = rows.filter(({ row }) => readNestedFlight(flight, row)).length;
  return `${rows.length} rows${strange.length > 0 ? ` (${strange.length} strange)` : ''}${nested > 0 ? `, ${nested} nested` : ''}`;
}

async function compareWithReact(flight: Flight) {
  const isBroken = flight.state.kind === 'malformed' || flight.state.kind === 'truncated';
  if (isBroken || guessReact(flight).isDevelopment) return 'not compared';
  // No patched client reads the older letter.
  const bytes = renameServerReferences(flight.bytes, 'F', 'h');
  const theirs = await describeWithReact(bytes, loadLine('19.3', 'production'));
  return isDeepStrictEqual(describeFlight(flight), theirs) ? 'as React' : 'not as React';
}

async function report(flight: Flight): Promise<string> {
  readEverything(flight);
  const { guess, isDevelopment } = guessReact(flight);
  const who = `${guessFramework(flight)?.guess ?? '?'} ${guess}${isDevelopment ? ' dev' : ''}`;
  return [JSON.stringify(flight.state).slice(0, 90), who, describeRows(flight), await compareWithReact(flight)].join(
    ' | ',
  );
}

describe.skipIf(!folder)('the corpus', () => {
  test.each(folder ? listFiles(folder) : ['no folder is named'])('%s', async (file) => {
    const found = readFile(new Uint8Array(readFileSync(file)));
    const name = path.relative(folder ?? '', file);
    if (found.kind === 'none') return console.info(`${name}: nothing found`);
    if (found.kind === 'reply') {
      readEverything(found.reply.flight);
      return console.info(`${name}: reply | ${found.reply.action.kind} | ${JSON.stringify(found.reply.flight.state)}`);
    }
    for (const flight of found.flights) {
      const line = await report(flight);
      console.info(`${name}: ${found.source} | ${line}`);
      expect(line).not.toMatch(/not as React/);
    }
  });
});
