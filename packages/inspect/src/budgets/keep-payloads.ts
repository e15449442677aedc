import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describeError } from '#boundary';

import type { Measured } from './measure-flights.ts';

/**
 * A failed budget leaves the payload as a file beside the test's results, so that the one who reads the message can open what
 * was measured: it may never come again in this shape.
 */
export type KeepFile = (name: string) => string;

/** Payloads that are written: of a navigation that loads tens, the heaviest are what the message is about. */
const maxFiles = 5;

/** Characters of a file's name; some systems take 255 bytes. */
const maxName = 80;

/** A name that needs no quotes in a shell. */
function toFileName(text: string): string {
  const plain = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return plain.slice(0, maxName).replaceAll(/^-+|-+$/g, '') || 'payload';
}

function printPath(file: string): string {
  const relative = path.relative(process.cwd(), file);
  const shown = relative.startsWith('..') ? file : relative;
  return /^[\w@./\\:-]+$/.test(shown) ? shown : JSON.stringify(shown);
}

/** Writes them and says how to open them. Never throws: what is wrong with the budget is to be told in any case. */
export function keepPayloads({ flights }: Measured, name: string, keep: KeepFile): string[] {
  try {
    const numbered = flights.map(({ flight }, index) => ({ flight, number: index + 1 }));
    const heaviest = numbered.toSorted((a, b) => b.flight.bytes.length - a.flight.bytes.length).slice(0, maxFiles);
    const commands = heaviest.map(({ flight, number }) => {
      // With the number that the message has for it.
      const file = keep(`${toFileName(name)}${flights.length === 1 ? '' : `-${number}`}.rsc`);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, flight.bytes);
      return `  npx flight-recorder flight ${printPath(file)}`;
    });
    const more = flights.length - commands.length;
    return more > 0 ? [...commands, `  and ${more} more, which are smaller and not written`] : commands;
  } catch (error) {
    return [`  the payload could not be written: ${describeError(error)}`];
  }
}
