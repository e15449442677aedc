import { MagicString } from 'magic-string';
import { parseSync } from 'vite';

import { findTimedFunctions, type FoundFunction } from './find-timed-functions.ts';

/** The module whose functions the timed code calls, time-calls.ts, and their names there. */
export const timeCallsId = 'virtual:flight-recorder/time-calls';

const prefix = '__flight';
/** What the module calls, by its names there: of an `async` function, and of another. */
const ofCalls = {
  beginCall: `${prefix}Begin`,
  leaveCall: `${prefix}Leave`,
  enterCall: `${prefix}Enter`,
  endCall: `${prefix}End`,
};
const ofRuns = { beginRun: `${prefix}BeginRun`, endRun: `${prefix}EndRun` };

function createLineCounter(code: string): (offset: number) => number {
  const starts = [0];
  for (let at = code.indexOf('\n'); at >= 0; at = code.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    const next = starts.findIndex((start) => start > offset);
    return next < 0 ? starts.length : next;
  };
}

function describeFunction(found: FoundFunction, file: string, lineOf: (offset: number) => number): string {
  const { kind, name, start, awaits } = found;
  const told = awaits.map(({ name: awaited, start: at, uses }) => [awaited, lineOf(at), uses]);
  return JSON.stringify({ kind, name, file, line: lineOf(start), awaits: told });
}

function timeFunction(edited: MagicString, found: FoundFunction, index: number, description: string): void {
  const call = `${prefix}Call${index}`;
  const { body, awaits, entered, isAsync } = found;
  const { leaveCall: leave, enterCall: enter } = ofCalls;
  const [begin, end] = isAsync ? [ofCalls.beginCall, ofCalls.endCall] : [ofRuns.beginRun, ofRuns.endRun];
  const head = `const ${call} = ${begin}(${prefix}${index} ??= ${description}); try {`;
  const foot = `} finally { ${end}(${call}); }`;
  if (body.kind === 'block') {
    edited.appendLeft(body.start, ` ${head}`).prependRight(body.end, foot);
  } else {
    edited.appendLeft(body.start, `{ ${head} return `).prependRight(body.end, `; ${foot} }`);
  }
  for (const { start, argument } of awaits) {
    const wait = awaits.findIndex((awaited) => awaited.start === start);
    edited.appendLeft(start, `${enter}(${call}, `);
    edited.appendLeft(argument.start, `${leave}(${call}, ${wait}, `);
    edited.appendLeft(argument.end, '))');
  }
  for (const start of isAsync ? entered : []) edited.appendLeft(start, ` ${enter}(${call});`);
}

export type TimedSource = { readonly code: string; readonly map: ReturnType<MagicString['generateMap']> };

/**
 * Lets each server component and server function of a module tell when it began, waited and ended (time-calls.ts). All of it stands
 * within the function's own braces: its name, parameters, `this`, promise and stack are the app's. What is generated takes no line, so
 * that a stack without its map still has the right ones.
 *
 * @param file from the app's folder
 * @returns undefined where there is nothing to time
 */
export function timeSource(code: string, file: string): TimedSource | undefined {
  if (code.includes(ofCalls.beginCall)) return undefined;
  const { program, errors } = parseSync(file, code, { sourceType: 'module' });
  // Whoever compiles it tells the error better.
  if (errors.length > 0) return undefined;
  const functions = findTimedFunctions(program, code, file);
  if (functions.length === 0) return undefined;
  const edited = new MagicString(code);
  const lineOf = createLineCounter(code);
  for (const [index, found] of functions.entries()) {
    timeFunction(edited, found, index, describeFunction(found, file, lineOf));
  }
  const names = Object.entries({ ...ofCalls, ...ofRuns });
  // At the end, behind the directives of the module: an import counts from the start, wherever it is, and so does `var`.
  const imports = names.map(([name, local]) => `${name} as ${local}`).join(', ');
  const variables = functions.map((_found, index) => `${prefix}${index}`).join(', ');
  edited.append(`\nvar ${variables};\nimport { ${imports} } from ${JSON.stringify(timeCallsId)};\n`);
  return { code: edited.toString(), map: edited.generateMap({ hires: 'boundary', source: file }) };
}
