import { stripTerminalCodes } from './strip-terminal-codes.ts';

/**
 * What development shows of an error beside its digest. In production nothing imports this: messages, stacks and source
 * never leave the server there.
 */
export type Cause = {
  readonly title: string;
  /** Where a file could not be compiled. */
  readonly place?: Place | undefined;
  /** The lines around the place, where the message does not show them itself. */
  readonly frame?: string | undefined;
  readonly stack: string | undefined;
};

export type Place = { readonly file: string; readonly line: number; readonly column: number };

/** Characters. A message can be an upstream's whole answer. */
const textLimit = 16_384;

function toPlain(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? stripTerminalCodes(value.slice(0, textLimit)) : undefined;
}

function read(thrown: unknown, key: string): unknown {
  try {
    return typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, key) : undefined;
  } catch {
    // A getter that throws, in an error that is being shown: the rest of it is still good.
    return undefined;
  }
}

/** Vite puts it into `id` and `loc`; the compiler of style sheets before its message. */
function readPlace(thrown: unknown, message: string): Place | undefined {
  const file = toPlain(read(thrown, 'id'));
  const location = read(thrown, 'loc');
  const [line, column] = [read(location, 'line'), read(location, 'column')];
  if (file !== undefined && typeof line === 'number' && typeof column === 'number') return { file, line, column };
  const [, named, row, position] = /^(\/[^\n:]{1,1024}):(\d{1,9}):(\d{1,9}): /.exec(message) ?? [];
  return named === undefined ? undefined : { file: named, line: Number(row), column: Number(position) };
}

/** Works for whatever somebody throws, on the server and in the browser. */
export function describeCause(thrown: unknown): Cause {
  const name = toPlain(read(thrown, 'name')) ?? `thrown ${typeof thrown}`;
  const message = toPlain(typeof thrown === 'string' ? thrown : read(thrown, 'message'));
  return {
    title: message === undefined ? name : `${name}: ${message}`,
    place: readPlace(thrown, message ?? ''),
    frame: toPlain(read(thrown, 'frame')),
    stack: toPlain(read(thrown, 'stack')),
  };
}
