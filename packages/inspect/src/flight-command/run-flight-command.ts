import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

import { countOf, formatBytes, formatCount, maxFlightBytes } from '#flight';
import { describeError, escapeText, toPlainJson } from '#boundary';

import { readArguments, writeUsage, type ReadCommand } from './arguments.ts';
import { fetchPage } from './fetch-page.ts';
import { checkLimits, readBudget, type Limits } from './limits.ts';
import { choosePaint, complain, endWithReader, write } from './output.ts';
import { describeState, printReport } from './print-report.ts';
import { readInput, type InputFlight } from './read-input.ts';
import { makeReport, writeJson } from './report.ts';
import { toSavedFlight, writeOneFile, type ReadTemplate } from './write-one-file.ts';

/**
 * What the viewer shows, in a terminal: for a file, standard input, or a page of a running app; with limits, a check. Nothing
 * of a payload is evaluated. Only the report goes to standard output.
 */
const unusable = 2;
const failed = 1;

/** A budget is a few lines. */
const maxBudgetBytes = 64 * 1024;

/** What a HAR lacks is a line each; a whole session's would hide the rest. */
const maxNotes = 20;

/**
 * Runs the command and gives its exit status. Writes to standard output and standard error.
 * @param program how the command was called, for its usage: `flight-recorder flight`
 */
export async function runFlightCommand(
  words: readonly string[],
  program: string,
  readTemplate: ReadTemplate,
): Promise<number> {
  endWithReader();
  const command = readArguments(words);
  switch (command.kind) {
    case 'help':
      process.stdout.write(writeUsage(program));
      return 0;
    case 'wrong':
      complain(command.reason);
      process.stderr.write(`Try ${program} --help\n`);
      return unusable;
    case 'read':
      return await run(command, readTemplate);
  }
}

/** What was found, and whether something else should have been. */
type Source = {
  readonly name: string;
  readonly flights: readonly InputFlight[];
  /** Those that are shown unless one is asked for. */
  readonly shown: readonly number[];
  readonly isWhole: boolean;
};

async function run(command: ReadCommand, readTemplate: ReadTemplate): Promise<number> {
  const limits = await readLimits(command);
  if (!limits) return unusable;
  const source = command.isUrl ? await readPage(command) : await readFlightFile(command);
  if (!source) return unusable;
  const { name, flights } = source;
  if (command.isList) {
    await write(listFlights(flights, command.isJson));
    return source.isWhole ? 0 : unusable;
  }
  const asked = command.flight === undefined ? undefined : command.flight - 1;
  if (asked !== undefined && asked >= flights.length) {
    complain(`${name} has ${countOf(flights.length, 'flight')}; there is no flight ${command.flight}`);
    return unusable;
  }
  const shown = new Set(asked === undefined ? source.shown : [asked]);
  // Limits are for every flight of a file, though one is shown.
  const checked = asked === undefined && Object.keys(limits).length > 0 ? [...flights.keys()] : [...shown];
  let status = 0;
  for (const index of checked) {
    const isFine = await handleFlight(command, source, index, shown.has(index), limits);
    if (!isFine) status = failed;
  }
  const isOneOfMany = flights.length > shown.size;
  if (isOneOfMany && !command.isJson && !command.isQuiet) {
    complain(`${name} has ${formatCount(flights.length)} flights: --list lists them, --flight <n> shows one`);
  }
  const saved = asked === undefined ? flights : flights.slice(asked, asked + 1);
  if (command.html !== undefined && !(await save(command.html, command, name, saved, readTemplate))) return unusable;
  return source.isWhole ? status : unusable;
}

/** All flights of the source, or the one that was asked for. @returns whether they are saved */
async function save(
  target: string,
  { isQuiet }: ReadCommand,
  name: string,
  flights: readonly InputFlight[],
  readTemplate: ReadTemplate,
): Promise<boolean> {
  try {
    const saved = flights.map((flight) => toSavedFlight(flight, name));
    const title = saved.length === 1 ? `${name}: ${saved[0]?.title}` : name;
    const size = await writeOneFile(target, { title, flights: saved, comparisons: [], texts: [] }, readTemplate);
    if (!isQuiet) complain(`${target} has ${countOf(flights.length, 'flight')}, in ${formatBytes(size)}`);
    return true;
  } catch (error) {
    complain(`${target} cannot be written: ${describeError(error)}`);
    return false;
  }
}

/** The bytes of a file, `-` for standard input. @throws Error for a folder, a file that is not there or too large */
async function readFileBytes(file: string, maxBytes = maxFlightBytes): Promise<Uint8Array> {
  if (file !== '-') {
    const facts = await stat(file);
    if (facts.isDirectory()) throw new Error('it is a folder');
  }
  const pieces: Buffer[] = [];
  let size = 0;
  const stream: AsyncIterable<Buffer> = file === '-' ? process.stdin : createReadStream(file);
  for await (const piece of stream) {
    size += piece.length;
    if (size > maxBytes) throw new Error(`it is larger than ${maxBytes / 1024 / 1024} MiB`);
    pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces));
}

/** The limits of the options, and of a budget file where the options say nothing; undefined when it cannot be read. */
async function readLimits({ limits, budget }: ReadCommand): Promise<Limits | undefined> {
  if (budget === undefined) return limits;
  try {
    const result = readBudget(new TextDecoder().decode(await readFileBytes(budget, maxBudgetBytes)));
    if (result.kind === 'limits') return { ...result.limits, ...limits };
    complain(`the budget ${budget}: ${result.reason}`);
  } catch (error) {
    complain(`the budget ${budget} cannot be read: ${describeError(error)}`);
  }
  return undefined;
}

async function readPage({ source, headers }: ReadCommand): Promise<Source | undefined> {
  const page = await fetchPage(source, headers);
  for (const problem of page.problems) complain(problem);
  return page.flights.length === 0 ? undefined : { ...page, name: source, isWhole: page.problems.length === 0 };
}

async function readFlightFile({ source, isQuiet }: ReadCommand): Promise<Source | undefined> {
  const name = source === '-' ? 'standard input' : source;
  let bytes: Uint8Array;
  try {
    bytes = await readFileBytes(source);
  } catch (error) {
    complain(`${name} cannot be read: ${describeError(error)}`);
    return undefined;
  }
  const input = await readInput(bytes);
  if (!isQuiet) {
    for (const note of input.notes.slice(0, maxNotes)) complain(note);
    const more = input.notes.length - maxNotes;
    if (more > 0) complain(`and ${formatCount(more)} more are left out`);
  }
  if (input.kind === 'flights') return { name, flights: input.flights, shown: [0], isWhole: true };
  complain(`${name}: ${input.reason}`);
  return undefined;
}

function* listFlights(flights: readonly InputFlight[], isJson: boolean): Generator<string> {
  if (isJson) {
    yield `${toPlainJson(flights.map(({ title, bytes }, index) => ({ flight: index + 1, title, bytes: bytes.length })))}\n`;
    return;
  }
  for (const [index, { title, bytes }] of flights.entries()) {
    const unit = bytes.length === 1 ? 'byte ' : 'bytes';
    yield `${String(index + 1).padStart(4)}  ${formatCount(bytes.length).padStart(10)} ${unit}  ${escapeText(title)}\n`;
  }
}

/** Shows and checks one flight. @returns whether it can be read and is within the limits */
async function handleFlight(
  { isJson, isQuiet, hasAllRows }: ReadCommand,
  { name, flights }: Source,
  index: number,
  isShown: boolean,
  limits: Limits,
): Promise<boolean> {
  const flight = flights[index];
  if (!flight) return true;
  const report = makeReport(flight);
  const isOneOfMany = flights.length > 1;
  const title = isOneOfMany ? `${index + 1} of ${flights.length}: ${flight.title}` : `${name}: ${flight.title}`;
  if (isShown && !isQuiet) {
    await write(isJson ? writeJson(report) : printReport(title, report, choosePaint(), hasAllRows));
  }
  const own = isOneOfMany ? flight.title : name;
  const exceeded = checkLimits(report, limits);
  for (const line of exceeded) complain(`${own}: ${line}`);
  const { state } = report.flight;
  if (state.kind !== 'malformed') return exceeded.length === 0;
  if (!isJson) complain(`${own} is ${describeState(state)}`);
  return false;
}
