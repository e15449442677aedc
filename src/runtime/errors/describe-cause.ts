import { stripTerminalCodes } from '#report/strip-terminal-codes.ts';

/**
 * What development shows of an error beside its digest. Production does not import this: there, messages, stacks and
 * source never leave the server.
 */
export type Cause = {
  readonly title: string;
  /** The place in a file that could not be compiled. */
  readonly place?: Place | undefined;
  /** The lines around the place, unless the message shows them itself. */
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
    // The error has a getter that throws. The rest of the error is still shown.
    return undefined;
  }
}

/** Vite puts the place into `id` and `loc`. The compiler of style sheets puts it before its message. */
function readPlace(thrown: unknown, message: string): Place | undefined {
  const file = toPlain(read(thrown, 'id'));
  const location = read(thrown, 'loc');
  const [line, column] = [read(location, 'line'), read(location, 'column')];
  if (file !== undefined && typeof line === 'number' && typeof column === 'number') return { file, line, column };
  const [, named, row, position] = /^(\/[^\n:]{1,1024}):(\d{1,9}):(\d{1,9}): /.exec(message) ?? [];
  return named === undefined ? undefined : { file: named, line: Number(row), column: Number(position) };
}

/** Works for any thrown value, on the server and in the browser. */
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
