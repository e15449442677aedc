import type { ReactLine } from './react-lines.ts';

/**
 * What React's own server is given to write the examples of the page /protocol: by the example’s anchor, for React 19.3 in
 * production.
 */
export const clientManifest = {
  'app/counter.tsx#Counter': { id: 'a1b2', chunks: ['c1', 'counter.js'], name: 'Counter' },
  // Its id is longer than what React 19.3 leaves in an I row.
  'app/long.tsx#Long': { id: 'a-module-with-a-long-name', chunks: [], name: 'Long' },
};

const text = (length: number): string => 'Rows of bytes and text. '.repeat(100).slice(0, length);

function later<T>(value: T): Promise<T> {
  return new Promise((resolve) => setTimeout(() => resolve(value)));
}

async function* count(): AsyncGenerator<number, string> {
  yield await later(1);
  yield 2;
  return 'done';
}

const hiThere = new TextEncoder().encode('Hi there').buffer;

function create({ createElement }: ReactLine['react'], type: unknown, props: object, child: unknown): unknown {
  // A lint rule takes the word in an object for a mistake in JSX.
  const name = 'children';
  return createElement(type, { ...props, [name]: child });
}

type Model = (line: ReactLine) => unknown;

/** Calls the hint while the row is rendered. */
function hint(call: (line: ReactLine) => void): Model {
  return (line) => {
    function Page() {
      call(line);
      return 'page';
    }
    return line.react.createElement(Page, null);
  };
}

function counter({ server }: ReactLine): unknown {
  return server.registerClientReference(() => {}, 'app/counter.tsx', 'Counter');
}

function save(line: ReactLine): unknown {
  return line.server.registerServerReference(() => {}, 'app/actions.ts', 'save');
}

export const responseModels: Readonly<Record<string, Model>> = {
  'row-model': () => ({ title: 'Sea', depth: 12 }),
  'row-I': (line) => line.react.createElement(counter(line), { start: 3 }),
  'row-E': () => ({ price: Promise.reject(new Error('secret')) }),
  'row-T': () => ({ text: text(1024) }),
  'row-R': () =>
    new ReadableStream({
      start(controller) {
        for (const item of ['a', { b: 1 }]) controller.enqueue(item);
        controller.close();
      },
    }),
  'row-r': () =>
    new ReadableStream({
      type: 'bytes',
      start(controller) {
        controller.enqueue(new TextEncoder().encode('Hi'));
        controller.close();
      },
    }),
  'row-X': () => ({ [Symbol.asyncIterator]: count }),
  'row-x': () => count(),
  'row-A': () => hiThere.slice(0),
  'row-O': () => new Int8Array(hiThere),
  'row-o': () => new Uint8Array(hiThere),
  'row-U': () => new Uint8ClampedArray(hiThere),
  'row-S': () => new Int16Array(hiThere),
  'row-s': () => new Uint16Array(hiThere),
  'row-L': () => new Int32Array(hiThere),
  'row-l': () => new Uint32Array(hiThere),
  'row-G': () => new Float32Array(hiThere),
  'row-g': () => new Float64Array(hiThere),
  'row-M': () => new BigInt64Array(hiThere),
  'row-m': () => new BigUint64Array(hiThere),
  'row-V': () => new DataView(hiThere),
  'hint-D': hint(({ hints }) => hints.prefetchDNS('https://img.example')),
  'hint-C': hint(({ hints }) => hints.preconnect('https://img.example', { crossOrigin: 'anonymous' })),
  'hint-L': hint(({ hints }) => hints.preload('/hero.jpg', { as: 'image', fetchPriority: 'high' })),
  'hint-m': hint(({ hints }) => hints.preloadModule('/chart.js')),
  'hint-X': hint(({ hints }) => hints.preinit('/early.js', { as: 'script' })),
  'hint-S': hint(({ hints }) => hints.preinit('/page.css', { as: 'style', precedence: 'low' })),
  'hint-M': hint(({ hints }) => hints.preinitModule('/app.js')),
  'form-L': (line) => {
    const { react } = line;
    async function Late() {
      return later(create(react, 'p', {}, 'late'));
    }
    return create(react, react.Suspense, { fallback: 'wait' }, react.createElement(Late, null));
  },
  'form-promise': () => ({ price: later(12) }),
  'form-h': (line) => ({ action: save(line) }),
  'form-Q': () => ({ ages: new Map([['Ada', 36]]) }),
  'form-W': () => ({ tags: new Set(['sea', 'air']) }),
  'form-i': () => ({ tags: ['sea', 'air'].values() }),
  'form-K': () => {
    const form = new FormData();
    form.append('title', 'Sea');
    return form;
  },
  'form-B': () => new Blob(['Hi there'], { type: 'text/plain' }),
  'form-D': () => new Date(0),
  'form-n': () => 12345678901234567890n,
  'form-undefined': () => ({ title: undefined, list: [undefined] }),
  'form-Infinity': () => Infinity,
  'form-minus-zero': () => -0,
  'form-minus-Infinity': () => -Infinity,
  'form-NaN': () => Number.NaN,
  'form-S': ({ react }) => create(react, react.Suspense, { fallback: 'wait' }, 'here'),
  'form-Z': () => ({ reason: new Error('secret') }),
  'form-dollar': () => '$5',
  'form-element': ({ react }) => create(react, 'p', { key: 'first', className: 'lead' }, 'Sea'),
  'end-complete': ({ react }) => create(react, 'p', {}, 'all of it'),
  'form-reference': () => {
    const port = { name: 'Brest' };
    return { from: port, to: port };
  },
};

async function* countToTwo(): AsyncGenerator<number> {
  yield await later(1);
  yield 2;
}

async function* sayA(): AsyncGenerator<string, string> {
  yield await later('a');
  return 'end';
}

function titleForm(): FormData {
  const form = new FormData();
  form.append('title', 'Sea');
  return form;
}

/** What React's own client is given to write the requests of the page. Those of forms are what a browser sends. */
export const replyModels: Readonly<Record<string, () => unknown[]>> = {
  'reply-arguments': () => ['save', { at: new Date(0) }],
  'reply-parts': () => ['save', new Map([['Ada', 36]])],
  'reply-binary': () => [new Uint8Array(hiThere)],
  'reply-stream': () => [{ [Symbol.asyncIterator]: countToTwo }],
  'reply-items': () => [sayA()],
  'reply-form-data': () => [titleForm()],
};
