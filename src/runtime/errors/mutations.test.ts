import { expect, it } from 'vitest';

import type { ErrorToGroup, FrameOfError } from './error-to-group.ts';
import { computeGrouping } from './fingerprint.ts';

/**
 * What must not make another fault, and what must, tried on every error that it can happen to. Since an error's fingerprint is made of it
 * alone, faults do not depend on the order in which errors arrive.
 */

function browser(file: string, fn: string, line = 1, column = 1_200): FrameOfError {
  return { fn, file, line, column, inApp: true, isAddress: true };
}

function server(file: string, fn: string, line = 12, column = 9): FrameOfError {
  return { fn, file, line, column, inApp: true };
}

function mapped(source: string, fn: string, text: string, line = 40): FrameOfError {
  const context = { firstLine: line, lines: [text] };
  return { fn, file: `/assets/index.js`, source, line, column: 9, inApp: true, context };
}

const library: FrameOfError = {
  fn: 'query',
  file: '/srv/shop/node_modules/pg/client.js',
  line: 7,
  column: 1,
  inApp: false,
};
const masked = { name: 'Error', message: 'refused', frames: [server('/srv/shop/dist/db.js', 'connect')] };

const errors: readonly ErrorToGroup[] = [
  { name: 'TypeError', message: 'no price', frames: [browser('/assets/index-BzUrYX8s.js', 'CartStore.addItem')] },
  { name: 'TypeError', message: 'x is null', frames: [browser('/_next/static/chunks/0cz1d0mv5g_q7.js', 'addItem')] },
  {
    name: 'Error',
    message: 'no stock',
    frames: [browser('/static/js/main.4f3c2a1b.js', 'pay'), browser('/static/js/main.4f3c2a1b.js', 'submit')],
  },
  { name: 'RangeError', message: 'too far', frames: [browser('/chunk-5JIJA4QV.js', 'Map.zoomTo')] },
  { name: 'Error', message: 'order 17 is gone', frames: [server('/srv/shop/dist/orders.js', 'postOrder'), library] },
  { name: 'QueryError', message: 'syntax', frames: [library, server('/srv/shop/dist/orders.js', 'listOrders')] },
  { name: 'Error', message: 'no price', frames: [server('/srv/shop/dist/stock.js', '<anonymous>', 3)] },
  {
    name: 'TypeError',
    message: 'no price',
    frames: [server('/srv/shop/.next/server/chunks/ssr/[root-of-the-server]__9b1c2d3e._.js', 'CartPage')],
  },
  {
    name: 'Error',
    message: 'saving failed',
    frames: [server('/srv/shop/dist/orders.js', 'saveOrder')],
    causes: [masked],
  },
  {
    name: 'Error',
    message: 'fetch failed',
    frames: [],
    culprit: '/orders/[id]',
    causes: [{ name: 'Error', message: 'connect ECONNREFUSED 10.0.0.7:5432' }],
  },
  {
    name: 'AggregateError',
    message: 'all failed',
    frames: [],
    causes: [
      { name: 'TypeError', message: 'a' },
      { name: 'RangeError', message: 'b' },
    ],
  },
  {
    name: 'TypeError',
    message: 'x is null',
    frames: [
      mapped('src/cart.ts', 'addItem', 'return item.price;'),
      mapped('src/page.tsx', 'CartPage', 'addItem(item);'),
    ],
  },
  {
    name: 'Error',
    message: 'card declined',
    frames: [mapped('src/pay.ts', 'pay', "throw new Error('card declined');")],
  },
  { name: 'TimeoutError', message: 'no answer after 5000 ms from 10.0.0.7', frames: [], culprit: '/cart' },
  {
    name: 'Error',
    message: 'user 4711 (ann@shop.example) is locked since 2026-11-28T10:00:00Z',
    frames: [],
    culprit: '/login',
  },
];

type Mutation = {
  readonly name: string;
  /** Undefined where it cannot happen to the error. */
  readonly of: (error: ErrorToGroup) => ErrorToGroup | undefined;
};

function withFrames(change: (frame: FrameOfError) => FrameOfError | undefined): Mutation['of'] {
  return (error) => {
    const frames = error.frames.map(change);
    const isChanged = frames.some((frame, at) => frame !== undefined && frame !== error.frames[at]);
    return isChanged
      ? {
          ...error,
          frames: frames.map((frame, at) => frame ?? error.frames[at]).filter((frame) => frame !== undefined),
        }
      : undefined;
  };
}

function replaceFile(from: RegExp, to: string): Mutation['of'] {
  return withFrames((frame) => (from.test(frame.file) ? { ...frame, file: frame.file.replace(from, to) } : undefined));
}

function replaceMessage(from: RegExp, to: string): Mutation['of'] {
  return (error) => (from.test(error.message) ? { ...error, message: error.message.replace(from, to) } : undefined);
}

function withCauses(change: (causes: NonNullable<ErrorToGroup['causes']>) => ErrorToGroup['causes']): Mutation['of'] {
  return (error) => {
    const causes = error.causes && change(error.causes);
    return causes ? { ...error, causes } : undefined;
  };
}

function moved(by: number): Mutation['of'] {
  return withFrames(({ context, ...frame }) => ({
    ...frame,
    line: frame.line + by,
    ...(context ? { context: { ...context, firstLine: context.firstLine + by } } : {}),
  }));
}

const stay: readonly Mutation[] = [
  { name: 'lines moved', of: moved(7) },
  {
    name: 'columns of a rebuild',
    of: withFrames((frame) => (frame.isAddress ? { ...frame, column: frame.column + 333 } : undefined)),
  },
  { name: 'another hash of Vite', of: replaceFile(/-BzUrYX8s/, '-Q0ztn1L_') },
  { name: 'another hash of Turbopack', of: replaceFile(/0cz1d0mv5g_q7/, '1fq9s_0d2kq1x') },
  { name: 'another hash of Turbopack on a server', of: replaceFile(/__9b1c2d3e/, '__0ii6qsttkp5_q') },
  { name: 'another hash of webpack', of: replaceFile(/4f3c2a1b/, 'deadbe01') },
  { name: 'another hash of esbuild', of: replaceFile(/5JIJA4QV/, 'ABQDEFGH') },
  { name: 'another folder of the machine', of: replaceFile(/^\/srv\/shop\//, '/home/ann/work/') },
  { name: 'a folder of a release', of: replaceFile(/^\/srv\/shop\//, '/srv/shop/releases/2026-03-01/') },
  {
    name: 'Firefox, which names no class',
    of: withFrames((frame) =>
      frame.isAddress && frame.fn.includes('.') ? { ...frame, fn: frame.fn.replace(/^.*\./, '') } : undefined,
    ),
  },
  {
    name: 'V8’s async',
    of: withFrames((frame) =>
      frame.fn === '' || frame.fn.startsWith('<') ? undefined : { ...frame, fn: `async ${frame.fn}` },
    ),
  },
  {
    name: 'a frame of the engine',
    of: (error) =>
      error.frames.length > 0
        ? {
            ...error,
            frames: [{ fn: 'Array.map', file: '<anonymous>', line: 1, column: 1, inApp: true }, ...error.frames],
          }
        : undefined,
  },
  {
    name: 'a library’s frame more',
    of: (error) =>
      error.frames.length > 0 ? { ...error, frames: [...error.frames, { ...library, fn: 'other' }] } : undefined,
  },
  {
    name: 'a query in the address',
    of: withFrames((frame) => (frame.isAddress ? { ...frame, file: `${frame.file}?v=2` } : undefined)),
  },
  { name: 'another number', of: replaceMessage(/\b(?:17|4711|5000)\b/, '39') },
  { name: 'another address', of: replaceMessage(/10\.0\.0\.7/, '192.168.1.20') },
  { name: 'another mail', of: replaceMessage(/ann@shop\.example/, 'bert.lee@mail.example') },
  { name: 'another time', of: replaceMessage(/2026-11-28T10:00:00Z/, '2027-01-02T03:04:05.678+01:00') },
  {
    name: 'causes in another order',
    of: withCauses((causes) => (causes.length > 1 ? causes.toReversed() : undefined)),
  },
  {
    name: 'another address of a cause',
    of: withCauses((causes) =>
      causes[0]?.message.includes('10.0.0.7')
        ? [{ ...causes[0], message: 'connect ECONNREFUSED 10.9.9.9:5432' }]
        : undefined,
    ),
  },
];

const split: readonly Mutation[] = [
  { name: 'another type', of: (error) => ({ ...error, name: 'OtherError' }) },
  {
    name: 'another function',
    of: withFrames((frame) => (frame.inApp && !frame.fn.startsWith('<') ? { ...frame, fn: 'otherThing' } : undefined)),
  },
  {
    name: 'another file',
    of: withFrames((frame) =>
      frame.inApp
        ? {
            ...frame,
            file: '/srv/shop/dist/other.js',
            ...(frame.source === undefined ? {} : { source: 'src/other.ts' }),
          }
        : undefined,
    ),
  },
  {
    name: 'another cause',
    of: withCauses((causes) => [...causes.slice(1), { name: 'UniqueViolation', message: 'duplicate key' }]),
  },
  {
    name: 'a cause where there was none',
    of: (error) => (error.causes ? undefined : { ...error, causes: [{ name: 'DbError', message: 'gone' }] }),
  },
  {
    name: 'another message of a plain error',
    of: (error) =>
      error.name === 'Error' && error.frames.every(({ context }) => !context)
        ? { ...error, message: 'something else entirely' }
        : undefined,
  },
  {
    name: 'another line that threw',
    of: withFrames((frame) =>
      frame.context ? { ...frame, context: { ...frame.context, lines: ["throw new Error('another');"] } } : undefined,
    ),
  },
];

it('98 of 100 changes keep their fault or leave it, as they must', () => {
  const wrong: string[] = [];
  let tried = 0;
  for (const [mutations, isSame] of [
    [stay, true],
    [split, false],
  ] as const) {
    for (const { name, of } of mutations) {
      const changed = errors.map((error) => [error, of(error)] as const).filter(([, mutated]) => mutated !== undefined);
      expect(changed.length, name).toBeGreaterThan(0);
      for (const [error, mutated] of changed) {
        tried += 1;
        const after = mutated && computeGrouping(mutated).fingerprint;
        const isRight = (computeGrouping(error).fingerprint === after) === isSame;
        if (!isRight) wrong.push(`${name}: ${error.name} ${error.message}`);
      }
    }
  }
  expect(tried).toBeGreaterThan(130);
  expect(wrong.length / tried, wrong.join('\n')).toBeLessThanOrEqual(0.02);
});
