import { expect, it } from 'vitest';

import { foldFrames } from './fold-frames.ts';

const fold = (...lines: readonly string[]) => foldFrames(lines.join('\n')).split('\n');

it("folds React's frames of a production build, where their path is a bundle's", () => {
  expect(
    fold(
      'Error: cannot show the order',
      '    at withCause (file:///srv/dist/server/assets/orders-Cl6Z.js:9:9)',
      '    at Cause (file:///srv/dist/server/assets/cause-BNje.js:6:2)',
      '    at renderFunctionComponent (file:///srv/dist/server/assets/rsc-Qc22.js:908:11)',
      '    at file:///srv/dist/server/assets/rsc-Qc22.js:935:131',
      '    at performWork (file:///srv/dist/server/assets/rsc-Qc22.js:1413:49)',
      '    at node:internal/process/task_queues:151:7',
      '    at AsyncResource.runInAsyncScope (node:async_hooks:227:14)',
    ),
  ).toEqual([
    'Error: cannot show the order',
    '    at withCause (file:///srv/dist/server/assets/orders-Cl6Z.js:9:9)',
    '    at Cause (file:///srv/dist/server/assets/cause-BNje.js:6:2)',
    '    … 5 frames of React',
  ]);
});

it("folds React's frames in development, and goes on with the app's below them", () => {
  const react = '/srv/node_modules/react-dom/cjs/react-dom-server.node.development.js';
  expect(
    fold(
      'TypeError: x',
      '    at price (/srv/src/components/price.tsx:4:17)',
      `    at Object.react_stack_bottom_frame (${react}:10956:18)`,
      `    at Immediate.eval (${react}:4982:22)`,
      '    at async handle (/srv/src/server.ts:7:3)',
    ),
  ).toEqual([
    'TypeError: x',
    '    at price (/srv/src/components/price.tsx:4:17)',
    '    … 2 frames of React',
    '    at async handle (/srv/src/server.ts:7:3)',
  ]);
});

it('keeps the frame where it was thrown, in whatever package', () => {
  expect(
    fold(
      'ZodError: x',
      '    at parse (/srv/node_modules/zod/index.js:1:1)',
      '    at check (/srv/node_modules/zod/index.js:2:2)',
      '    at load (/srv/src/load.ts:3:3)',
      '    at process.processTimers (node:internal/timers:615:9)',
    ),
  ).toEqual([
    'ZodError: x',
    '    at parse (/srv/node_modules/zod/index.js:1:1)',
    '    … 1 frame of node_modules',
    '    at load (/srv/src/load.ts:3:3)',
    '    … 1 frame of Node',
  ]);
});

it("leaves a message of several lines, and an app's function that is called like none of React's", () => {
  const lines = ['Error: one', 'two', '    at renderInvoice (/srv/src/a.ts:1:1)', '    at toModel (/srv/src/b.ts:1:1)'];
  expect(fold(...lines)).toEqual(lines);
});

it("leaves the app's own frames above React's in one bundle", () => {
  const file = 'file:///srv/dist/server/index.js';
  expect(
    fold('Error: x', `    at a (${file}:1:1)`, `    at B (${file}:2:2)`, `    at renderElement (${file}:3:3)`),
  ).toEqual(['Error: x', `    at a (${file}:1:1)`, `    at B (${file}:2:2)`, '    … 1 frame of React']);
});

it('takes no frame for one in a line that somebody made for it, and ends', () => {
  const line = `    at )${' ('.repeat(8_000)}${'0:'.repeat(8_000)}\u2028`;
  expect(fold('Error: x', line, '    at node:internal/x:1:1')).toEqual([
    'Error: x',
    line,
    '    at node:internal/x:1:1',
  ]);
});
