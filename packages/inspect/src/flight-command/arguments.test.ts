import { describe, expect, test } from 'vitest';

import { readArguments, writeUsage, type ReadCommand } from './arguments.ts';

const plain: ReadCommand = {
  kind: 'read',
  source: 'a.rsc',
  isUrl: false,
  headers: [],
  isJson: false,
  isList: false,
  hasAllRows: false,
  isQuiet: false,
  html: undefined,
  flight: undefined,
  limits: {},
  budget: undefined,
};

describe('arguments', () => {
  test.each<[readonly string[], Partial<ReadCommand>]>([
    [['a.rsc'], {}],
    [['--rows', 'a.rsc'], { hasAllRows: true }],
    [['-'], { source: '-' }],
    [['--', '--json'], { source: '--json' }],
    [['--html', 'b.html', 'a.rsc'], { html: 'b.html' }],
    [['--json', 'a.rsc', '--list', '-q'], { isJson: true, isList: true, isQuiet: true }],
    [['--flight', '3', 'a.rsc'], { flight: 3 }],
    [['--flight=3', 'a.rsc'], { flight: 3 }],
    [
      ['--max-bytes', '150kB', '--max-gzip=1KiB', '--no-duplicates', 'a.rsc'],
      { limits: { maxBytes: 150_000, maxGzip: 1024, noDuplicates: true } },
    ],
    [['--budget', 'b.json', 'a.rsc'], { budget: 'b.json' }],
    [['HTTPS://a.example/x'], { source: 'HTTPS://a.example/x', isUrl: true }],
    [
      ['-H', 'Cookie: a=b:c', '--header', 'X-A:  1 ', 'http://a.example'],
      {
        source: 'http://a.example',
        isUrl: true,
        headers: [
          ['Cookie', 'a=b:c'],
          ['X-A', '1'],
        ],
      },
    ],
    [['C:\\a.rsc'], { source: 'C:\\a.rsc' }],
  ])('%j', (words, command) => {
    expect(readArguments(words)).toEqual({ ...plain, ...command });
  });

  test.each([['--help'], ['-h'], ['a.rsc', '--help']])('%j asks for help', (...words) => {
    expect(readArguments(words)).toEqual({ kind: 'help' });
  });

  test.each<[readonly string[], string]>([
    [[], 'no file and no URL is named'],
    [['a', 'b'], 'more than one file or URL is named'],
    [['--jsonn', 'a'], 'there is no option --jsonn'],
    [['-x', 'a'], 'there is no option -x'],
    [['--json=1', 'a'], '--json takes no value'],
    [['a', '--flight'], '--flight needs a value'],
    [['--flight', '0', 'a'], '--flight needs a number from 1'],
    [['--flight', '1.5', 'a'], '--flight needs a number from 1'],
    [['--json', '--json', 'a'], '--json is there more than once'],
    [['--max-bytes', 'much', 'a'], '--max-bytes needs a size such as 150kB or 1.5MiB, not much'],
    [['--max-gzip=-5', 'a'], '--max-gzip needs a size such as 150kB or 1.5MiB, not -5'],
    [['--list', '--max-bytes', '5', 'a'], '--list checks no limits'],
    [['--list', '--budget', 'b', 'a'], '--list checks no limits'],
    [['--list', '--html', 'b.html', 'a'], '--list writes no file'],
    [['--html=', 'a'], '--html needs the name of a file'],
    [['-H', 'Cookie: a', 'a.rsc'], '--header is for a URL'],
    [['-H', 'Cookie', 'http://a'], '--header needs a name, a colon and a value: "Cookie: a=b"'],
    [['-H', 'Co okie: a', 'http://a'], '--header needs a name, a colon and a value: "Cookie: a=b"'],
    [['-H', 'Cookie: a\nb: c', 'http://a'], '--header needs a name, a colon and a value: "Cookie: a=b"'],
    [['ftp://a.example/x'], 'ftp://a.example/x is no URL of http or https'],
    [['http://['], 'http://[ is no URL of http or https'],
  ])('%j: %s', (words, reason) => {
    expect(readArguments(words)).toEqual({ kind: 'wrong', reason });
  });
});

test.each(['npm run -s flight --', 'flight-recorder flight'])('the usage of %s fits 80 columns', (program) => {
  const usage = writeUsage(program);
  expect(usage).toContain(`Usage: ${program} `);
  for (const line of usage.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  // Every option but the short ones' long forms begins a line.
  for (const option of [
    'list',
    'flight',
    'json',
    'html',
    'quiet',
    'header',
    'max-bytes',
    'max-gzip',
    'no-duplicates',
    'budget',
    'help',
  ]) {
    expect(usage).toMatch(new RegExp(`^  (?:-\\w,|   ) --${option}\\b`, 'm'));
  }
});
