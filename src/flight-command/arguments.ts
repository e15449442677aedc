/** The command's arguments. */
export type Command =
  | { kind: 'help' }
  | { kind: 'wrong'; reason: string }
  | { kind: 'read'; file: string; isJson: boolean; isList: boolean; flight: number };

export const usage = `Usage: npm run -s flight -- [--json] [--list] [--flight <n>] <file>

Reads a React Flight payload, an HTML page, a HAR or an exported flight, and says
what is in it. <file> may be - for standard input.

  --json        one JSON object; its shape is in docs/flight-cli.md
  --list        the flights in the file, numbered
  --flight <n>  the n-th of them, from 1 (default 1)

Exit status: 0 it could be read, 1 it is malformed, 2 wrong usage or no such file.
`;

export function readArguments(words: readonly string[]): Command {
  let file: string | undefined;
  let isJson = false;
  let isList = false;
  let flight = 1;
  let areOptionsOver = false;
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const isOption = !areOptionsOver && word.startsWith('-') && word !== '-';
    if (isOption && word === '--') areOptionsOver = true;
    else if (isOption && (word === '--help' || word === '-h')) return { kind: 'help' };
    else if (isOption && word === '--json') isJson = true;
    else if (isOption && word === '--list') isList = true;
    else if (isOption && word === '--flight') {
      const number = rest.shift() ?? '';
      if (!/^[1-9]\d{0,5}$/.test(number)) return { kind: 'wrong', reason: '--flight needs a number from 1' };
      flight = Number(number);
    } else if (isOption) return { kind: 'wrong', reason: `there is no option ${word}` };
    else if (file === undefined) file = word;
    else return { kind: 'wrong', reason: 'more than one file' };
  }
  if (file === undefined) return { kind: 'wrong', reason: 'no file is named' };
  return { kind: 'read', file, isJson, isList, flight };
}
