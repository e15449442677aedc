import type { Words } from './words.ts';

/** The tags of rows: what stands between `id:` and the body. By tag; a model has none. */
export const rowWords: Readonly<Record<string, Words>> = {
  '': {
    anchor: 'row-model',
    token: '1:…',
    name: 'model',
    says: 'A value as JSON: an element, an object, a list, a string. The one with id 0 is the root, which is what the server rendered. A row with an id and nothing after it says that this row will never come; only a development server says so.',
  },
  I: {
    anchor: 'row-I',
    token: '1:I…',
    name: 'client module',
    says: 'A client component: the bundler’s id of the module, the files to load, and the name of the export. The component itself is not in the payload. Since React 19.3 texts of 16 characters and more are rows of their own, and are referred to.',
  },
  H: {
    anchor: 'row-H',
    token: ':H…',
    name: 'hint',
    says: 'Something that the browser should fetch or connect to now. The letter after the tag says what. Such a row has no id: nothing refers to it.',
  },
  E: {
    anchor: 'row-E',
    token: '1:E…',
    name: 'error',
    says: 'What was to come failed. In production it says only a digest, the code that the server gave the error; in development also its name, message and stack. The error is thrown where the row is used.',
  },
  T: {
    anchor: 'row-T',
    token: '1:T…',
    name: 'text',
    says: 'A long text, as it is, without JSON’s escapes. React writes one for each string of 1,024 characters or more, and for each text of a stream. The length is counted in bytes.',
  },
  R: {
    anchor: 'row-R',
    token: '1:R',
    name: 'stream',
    says: 'A ReadableStream begins. Its chunks are the rows with the same id that follow, as models, texts or binary rows.',
  },
  r: {
    anchor: 'row-r',
    token: '1:r',
    name: 'byte stream',
    says: 'A ReadableStream of bytes begins. Its chunks are the b rows with the same id; until React 19.2 they are o rows.',
  },
  X: {
    anchor: 'row-X',
    token: '1:X',
    name: 'async iterable',
    says: 'An async iterable begins, which can be read more than once. Its values are the rows with the same id that follow.',
  },
  x: {
    anchor: 'row-x',
    token: '1:x',
    name: 'async iterator',
    says: 'An async iterator begins, which can be read once. Its values are the rows with the same id that follow.',
  },
  b: {
    anchor: 'row-b',
    token: '1:b…',
    name: 'stream bytes',
    says: 'A piece of a byte stream. The client hands it on as it comes, before the row is complete.',
    since: '19.3',
  },
  C: {
    anchor: 'row-C',
    token: '1:C…',
    name: 'stream end',
    says: 'The stream or iterable with this id is complete. Of an iterator, the body is what it returned; with no body, that is undefined.',
  },
  D: {
    anchor: 'row-D',
    token: '1:D…',
    name: 'debug',
    says: 'What is known of the row with this id: which component rendered it, what it waited for, and when. There may be several for one row.',
    isDevelopment: true,
  },
  J: {
    anchor: 'row-J',
    token: '1:J…',
    name: 'awaited I/O',
    says: 'Something that the server waited for: its name, when it started and ended, and the call. Debug rows refer to it.',
    since: '19.2',
    isDevelopment: true,
  },
  N: {
    anchor: 'row-N',
    token: ':N…',
    name: 'time origin',
    says: 'The moment from which the times of debug rows count: the server’s performance.timeOrigin, in milliseconds since 1970.',
    since: '19.2',
    isDevelopment: true,
  },
  W: {
    anchor: 'row-W',
    token: ':W…',
    name: 'console',
    says: 'A call of console on the server, which the browser repeats: the method, the stack, the component, the environment, and the arguments.',
    isDevelopment: true,
  },
  P: {
    anchor: 'row-P',
    token: '1:P…',
    name: 'postponed',
    says: 'Only experimental builds wrote it: the row was put off to a later request. No release of React 19 writes or reads it.',
  },
  A: typedArray('A', 'ArrayBuffer'),
  O: typedArray('O', 'Int8Array'),
  o: typedArray('o', 'Uint8Array'),
  U: typedArray('U', 'Uint8ClampedArray'),
  S: typedArray('S', 'Int16Array'),
  s: typedArray('s', 'Uint16Array'),
  L: typedArray('L', 'Int32Array'),
  l: typedArray('l', 'Uint32Array'),
  G: typedArray('G', 'Float32Array'),
  g: typedArray('g', 'Float64Array'),
  M: typedArray('M', 'BigInt64Array'),
  m: typedArray('m', 'BigUint64Array'),
  V: typedArray('V', 'DataView'),
};

function typedArray(tag: string, type: string): Words {
  return {
    anchor: `row-${tag}`,
    token: `1:${tag}…`,
    name: type,
    says: `The bytes of ${/^[AI]/.test(type) ? 'an' : 'a'} ${type}, as they were in the server’s memory: least significant byte first on every usual machine.`,
  };
}

/** The letter after `H`, and what React’s client calls. */
export const hintWords: Readonly<Record<string, Words>> = {
  D: {
    anchor: 'hint-D',
    token: ':HD…',
    name: 'prefetchDNS',
    says: 'Look up the address of a host. The argument is its URL.',
  },
  C: {
    anchor: 'hint-C',
    token: ':HC…',
    name: 'preconnect',
    says: 'Connect to a host: its URL, or a list of the URL and the cross-origin mode.',
  },
  L: {
    anchor: 'hint-L',
    token: ':HL…',
    name: 'preload',
    says: 'Load a file: its URL, what it is (style, script, font, image …), and options.',
  },
  m: {
    anchor: 'hint-m',
    token: ':Hm…',
    name: 'preloadModule',
    says: 'Load a JavaScript module and what it imports: its URL, or a list of the URL and options.',
  },
  X: {
    anchor: 'hint-X',
    token: ':HX…',
    name: 'preinitScript',
    says: 'Load a script and run it: its URL, or a list of the URL and options.',
  },
  S: {
    anchor: 'hint-S',
    token: ':HS…',
    name: 'preinitStyle',
    says: 'Insert a style sheet: its URL, or a list of the URL, the precedence (0 for none) and options.',
  },
  M: {
    anchor: 'hint-M',
    token: ':HM…',
    name: 'preinitModule',
    says: 'Load a JavaScript module and run it: its URL, or a list of the URL and options.',
  },
};
