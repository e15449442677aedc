import { describe, expect, it } from 'vitest';

import { parseStack } from './stack.ts';

describe('parseStack', () => {
  it('leaves out positions that V8 cannot mean: it counts from 1', () => {
    expect(parseStack('Error: x\n    at a (/a.js:0:1)\n    at b (/b.js:1:0)\n    at c (/c.js:1:1)', 'x')).toEqual([
      { fn: 'c', file: '/c.js', line: 1, column: 1 },
    ]);
  });

  it('reads the forms that V8 writes', () => {
    const stack = [
      'Error: cannot at all (file:///x.js:1:2)',
      '    at Page (file:///app/dist/server/assets/page-abc.js:3:8)',
      '    at async Promise.all (index 0)',
      '    at async load (/app/src/load.ts:10:20)',
      '    at new Reader (C:\\app\\reader.js:7:1)',
      '    at file:///app/dist/server/index.js:1:1',
      '    at async file:///app/dist/server/late.js:5:6',
      '    at Object.<anonymous> (https://example.com/assets/index-1.js:1:99)',
      '    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)',
    ].join('\n');
    expect(parseStack(stack).map(({ fn, file, line, column }) => [fn, file, line, column])).toEqual([
      ['Page', 'file:///app/dist/server/assets/page-abc.js', 3, 8],
      ['load', '/app/src/load.ts', 10, 20],
      ['Reader', 'C:\\app\\reader.js', 7, 1],
      ['', 'file:///app/dist/server/index.js', 1, 1],
      ['', 'file:///app/dist/server/late.js', 5, 6],
      ['Object.<anonymous>', 'https://example.com/assets/index-1.js', 1, 99],
      ['process.processTicksAndRejections', 'node:internal/process/task_queues', 105, 5],
    ]);
  });

  it('takes no frame from the message', () => {
    const message = 'Cannot find \n    at a (file:///etc/passwd:1:1)';
    const stack = `Error: ${message}\n    at Page (/app/page.js:3:8)`;
    expect(parseStack(stack, message)).toEqual([{ fn: 'Page', file: '/app/page.js', line: 3, column: 8 }]);
    expect(parseStack(stack, 'a message that was set later').length).toBe(2);
  });

  it('takes the last lines alone where the message is another one, and no position that no file has', () => {
    const stack =
      'Error: first\n    at a (/etc/passwd:1:1)\nmore\n    at Page (/app/page.js:3:8)\n    at <anonymous>\n';
    expect(parseStack(stack, 'set later').map(({ fn }) => fn)).toEqual(['Page']);
    expect(parseStack('Error: x\n    at a (/a.js:99999999999999999999:1)', 'x')).toEqual([]);
  });

  it('stops at fifty frames', () => {
    expect(parseStack(Array.from({ length: 80 }, () => '    at f (/a.js:1:1)').join('\n')).length).toBe(50);
  });

  it('takes no time over a long hostile line', () => {
    expect(parseStack(`    at ${'(file:///'.repeat(2000)}`)).toEqual([]);
  });
});
