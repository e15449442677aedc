import { expect, it } from 'vitest';

import { stripTerminalCodes } from './strip-terminal-codes.ts';

it.each([
  ['\u001b[31mUnexpected\u001b[0m token', 'Unexpected token'],
  ['\u009b1;38:5:9mred\u009bm', 'red'],
  ['\u001b[2K\u001b[?25lline', 'line'],
  ['\u001b]8;;https://example.org\u0007link\u001b]8;;\u001b\\!', 'link!'],
  ['\u009d0;title\u009cx', 'x'],
  ['no codes [31m', 'no codes [31m'],
  ['\u001b[31', '\u001b[31'],
])('%j is %j', (text, plain) => expect(stripTerminalCodes(text)).toBe(plain));
