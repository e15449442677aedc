import type { Words } from './words.ts';

/** The framing of a row, and the parts of rows whose JSON is not the app's own. `anchor` is where the page explains the whole. */
const framing = { anchor: 'framing' } as const;
const element = { anchor: 'form-element' } as const;
const debugElement = { anchor: 'form-element', isDevelopment: true } as const;

export const framingWords = {
  id: {
    ...framing,
    token: '1:',
    name: 'row id',
    says: 'The number by which others refer to this row, in hex. 0 is the root. Rows come in the order in which they are ready.',
  },
  length: {
    ...framing,
    token: 'T400,',
    name: 'length',
    says: 'How many bytes follow, in hex, up to the next row. No newline ends such a row.',
  },
  'line-end': {
    ...framing,
    token: '↵',
    name: 'end of the row',
    says: 'A newline ends a row that has no length. JSON never has one inside: in a string it is \\n.',
  },
} as const satisfies Record<string, Words>;

/** An element’s list, item by item. Development’s are longer. */
export const elementWords: readonly Words[] = [
  { ...element, token: '"$"', name: 'element', says: 'This list is a React element: its type, key and props follow.' },
  {
    ...element,
    token: '"p"',
    name: 'element type',
    says: 'What is rendered: the name of a tag, a client component, or one of React’s own components.',
  },
  {
    ...element,
    token: 'null',
    name: 'element key',
    says: 'The key by which React tells siblings apart, or null. Keys of components around it that left no trace are joined with commas.',
  },
  { ...element, token: '{…}', name: 'element props', says: 'The props, children among them.' },
  {
    ...debugElement,
    token: '"$2"',
    name: 'element owner',
    says: 'The component that made the element, in a row of its own; null for none.',
  },
  {
    ...debugElement,
    token: '"$3"',
    name: 'element stack',
    says: 'Where the element was made: a list of calls.',
    since: '19.1',
  },
  {
    ...debugElement,
    token: '1',
    name: 'keys checked',
    says: 'Whether React’s check for missing keys has seen it: 0 no, 1 yes, 2 it needs a key and has none.',
    since: '19.1',
  },
];

const module = { anchor: 'row-I' } as const;

/** The list of an `I` row as webpack, Turbopack and Vite write it. */
export const moduleWords: readonly Words[] = [
  {
    ...module,
    token: '"a1b2"',
    name: 'module id',
    says: 'The bundler’s own name of the module, or a reference to it.',
  },
  {
    ...module,
    token: '[…]',
    name: 'chunks',
    says: 'The files to load before the module can be used. webpack names each twice: the chunk’s id, then its file.',
  },
  {
    ...module,
    token: '"Counter"',
    name: 'export name',
    says: 'Which export is the component. "*" is the whole module, "" the default of a CommonJS module.',
  },
  { ...module, token: '1', name: 'async module', says: 'The module has to be awaited: it has a top-level await.' },
];

/** The same as Parcel writes it. */
export const parcelModuleWords: readonly Words[] = [
  moduleWords[0],
  moduleWords[2],
  { ...module, token: '[…]', name: 'bundles', says: 'The files to load before the module can be used.' },
  { ...module, token: '{…}', name: 'import map', says: 'Where the browser finds modules that these files import.' },
].flatMap((words) => words ?? []);

const error = { anchor: 'row-E' } as const;
const debugError = { anchor: 'row-E', isDevelopment: true } as const;

/** Members of rows that React writes about other rows, by the row’s tag and the member’s name. */
export const memberWords: Readonly<Record<string, Readonly<Record<string, Words>>>> = {
  E: {
    digest: {
      ...error,
      token: 'digest',
      name: 'digest',
      says: 'The code that the server’s onError gave this error. Empty when it gave none.',
    },
    name: { ...debugError, token: 'name', name: 'error name', says: 'The name of the error, such as TypeError.' },
    message: { ...debugError, token: 'message', name: 'error message', says: 'The message of the error.' },
    stack: stackWords('row-E', 'Where the error was made'),
    env: environmentWords('row-E'),
    owner: ownerWords('row-E'),
    cause: { ...debugError, token: 'cause', name: 'cause', says: 'The error that caused this one.' },
    errors: { ...debugError, token: 'errors', name: 'errors', says: 'The errors of an AggregateError.' },
  },
  D: {
    time: debug('row-D', 'time', 'time', 'Milliseconds since the time origin.'),
    name: debug('row-D', 'name', 'component', 'The component that rendered the row.'),
    key: debug('row-D', 'key', 'key', 'The key of the component’s element.'),
    props: debug('row-D', 'props', 'props', 'The props that the component got.'),
    awaited: debug('row-D', 'awaited', 'awaited', 'What was waited for: a J row.'),
    env: environmentWords('row-D'),
    owner: ownerWords('row-D'),
    stack: stackWords('row-D', 'Where it was rendered or awaited'),
  },
  J: {
    name: debug('row-J', 'name', 'name', 'What was called, such as fetch.'),
    start: debug('row-J', 'start', 'start', 'When it began, in milliseconds since the time origin.'),
    end: debug('row-J', 'end', 'end', 'When it ended, in milliseconds since the time origin.'),
    value: debug('row-J', 'value', 'value', 'What it gave.'),
    env: environmentWords('row-J'),
    owner: ownerWords('row-J'),
    stack: stackWords('row-J', 'Where it was called'),
  },
};

/** The list of a `W` row; the call’s own arguments follow. */
export const consoleWords: readonly Words[] = [
  debug('row-W', '"log"', 'method', 'Which method of console was called.'),
  stackWords('row-W', 'Where it was called'),
  ownerWords('row-W'),
  environmentWords('row-W'),
];

function debug(anchor: string, token: string, name: string, says: string): Words {
  return { anchor, token, name, says, isDevelopment: true };
}

function stackWords(anchor: string, what: string): Words {
  return debug(
    anchor,
    'stack',
    'stack',
    `${what}: for each call its function, file, line and column; since React 19.2 also where the function begins and whether it is async.`,
  );
}

function environmentWords(anchor: string): Words {
  return debug(
    anchor,
    'env',
    'environment',
    'Where the code ran: Server, or a name that the framework gives, such as Cache.',
  );
}

function ownerWords(anchor: string): Words {
  return debug(anchor, 'owner', 'owner', 'The component in which it happened.');
}
