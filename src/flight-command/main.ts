import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

import { maxFlightBytes } from '#flight';
import { describeError } from '#src/http/describe-error.ts';
import { escapeText, toPlainJson } from '#src/http/escape-text.ts';

import { readArguments, usage, type Command } from './arguments.ts';
import { describeState, formatCount, printReport, type Paint } from './print-report.ts';
import { readInput, type InputFlight } from './read-input.ts';
import { makeReport, writeJson } from './report.ts';

/**
 * `npm run -s flight -- <file>`: what the viewer shows, in a terminal. Runs from the sources, without a build, on Node's
 * own type stripping; nothing in the file is evaluated or requested. Only the report goes to standard output.
 */
const unusable = 2;
const malformed = 1;

/** Lines are written in pieces of about this many characters. */
const pieceLength = 65_536;

function complain(text: string): void {
  process.stderr.write(`flight: ${escapeText(text)}\n`);
}

async function readLimited(file: string): Promise<Uint8Array> {
  if (file !== '-') {
    const facts = await stat(file);
    if (facts.isDirectory()) throw new Error('it is a folder');
  }
  const pieces: Buffer[] = [];
  let size = 0;
  const stream: AsyncIterable<Buffer> = file === '-' ? process.stdin : createReadStream(file);
  for await (const piece of stream) {
    size += piece.length;
    if (size > maxFlightBytes) throw new Error(`it is larger than ${maxFlightBytes / 1024 / 1024} MiB`);
    pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces));
}

/** Waits for a slow reader; ends quietly when the reader left, as `| head` does. */
async function write(pieces: Iterable<string>): Promise<void> {
  let buffer = '';
  for (const piece of pieces) {
    buffer += piece;
    if (buffer.length < pieceLength) continue;
    if (!process.stdout.write(buffer)) await once(process.stdout, 'drain');
    buffer = '';
  }
  if (!process.stdout.write(buffer)) await once(process.stdout, 'drain');
}

const styles = { title: '1', problem: '31', faint: '2' } as const;

/** Colours where a person sees them, and not where NO_COLOR says no. */
function choosePaint(): Paint {
  if (!process.stdout.isTTY || process.env.NO_COLOR) return (_style, text) => text;
  return (style, text) => `\u001b[${styles[style]}m${text}\u001b[0m`;
}

function* listFlights(flights: readonly InputFlight[], isJson: boolean): Generator<string> {
  if (isJson) {
    yield `${toPlainJson(flights.map(({ title, bytes }, index) => ({ flight: index + 1, title, bytes: bytes.length })))}\n`;
    return;
  }
  for (const [index, { title, bytes }] of flights.entries()) {
    yield `${String(index + 1).padStart(4)}  ${formatCount(bytes.length).padStart(10)} bytes  ${escapeText(title)}\n`;
  }
}

async function run(command: Command & { kind: 'read' }): Promise<number> {
  const { file, isJson, isList } = command;
  const name = file === '-' ? 'standard input' : file;
  let bytes: Uint8Array;
  try {
    bytes = await readLimited(file);
  } catch (error) {
    complain(`${name} cannot be read: ${describeError(error)}`);
    return unusable;
  }
  const input = await readInput(bytes);
  if (input.kind === 'unreadable') {
    complain(`${name}: ${input.reason}`);
    return unusable;
  }
  if (isList) {
    await write(listFlights(input.flights, isJson));
    return 0;
  }
  const flight = input.flights[command.flight - 1];
  if (!flight) {
    complain(`${name} has ${formatCount(input.flights.length)} flights; there is no flight ${command.flight}`);
    return unusable;
  }
  const report = makeReport(flight.bytes, flight.chunks);
  const isOneOfMany = input.flights.length > 1;
  const title = isOneOfMany
    ? `${command.flight} of ${input.flights.length}: ${flight.title}`
    : `${name}: ${flight.title}`;
  await write(isJson ? writeJson(report) : printReport(title, report, choosePaint()));
  if (isOneOfMany && !isJson) {
    complain(`${name} has ${input.flights.length} flights: --list lists them, --flight <n> shows one`);
  }
  if (report.flight.state.kind !== 'malformed') return 0;
  if (!isJson) complain(`${name} is ${describeState(report.flight.state)}`);
  return malformed;
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const command = readArguments(process.argv.slice(2));
switch (command.kind) {
  case 'help':
    process.stdout.write(usage);
    break;
  case 'wrong':
    process.exitCode = unusable;
    complain(command.reason);
    process.stderr.write(usage);
    break;
  case 'read':
    process.exitCode = await run(command);
}
