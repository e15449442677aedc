import { parseArgs } from 'node:util';

import type { Limits } from './limits.ts';
import { readSize } from './read-size.ts';

/** The command's arguments. */
export type Command = { kind: 'help' } | { kind: 'wrong'; reason: string } | ReadCommand;

export type ReadCommand = {
  readonly kind: 'read';
  /** A file's name, `-`, or an address. */
  readonly source: string;
  readonly isUrl: boolean;
  readonly headers: readonly Header[];
  readonly isJson: boolean;
  readonly isList: boolean;
  readonly hasAllRows: boolean;
  readonly isQuiet: boolean;
  /** Where to write the viewer with the flights in it. */
  readonly html: string | undefined;
  /** The number that was asked for. */
  readonly flight: number | undefined;
  readonly limits: Limits;
  /** A file with more of them. */
  readonly budget: string | undefined;
};

export type Header = readonly [name: string, value: string];

/** `program` is how the command was called. Lines are at most 80 columns long for the programs there are. */
export function writeUsage(program: string): string {
  return `Usage: ${program} [options] <file | url | ->

Says what is in a React Flight payload, an HTML page, a HAR, an exported flight,
or a page of a running app. A dash is standard input.

What is shown:
      --list              the flights that were found, numbered
      --flight <n>        the n-th of them, from 1
      --rows              every row, also of a long payload
      --json              a JSON object a line; its shape: docs/flight-json.md
      --html <file>       the viewer with it in one HTML file, too
  -q, --quiet             nothing but what is wrong

For a URL, whose document and navigation payload are fetched:
  -H, --header <header>   sent with each request: "Cookie: a=b"; repeatable

As a check, which fails when a limit is exceeded:
      --max-bytes <size>  how large a payload may be
      --max-gzip <size>   how large it may be with gzip
      --no-duplicates     nothing worth a finding may be sent twice
      --no-secrets        no key, password or the like may be in it
      --budget <file>     these limits and more, in a JSON file

  -h, --help              this text

A size is 150000, 150kB (150 × 1000) or 1.5MiB (1.5 × 1024 × 1024).

Examples:
  ${program} page.html
  ${program} --list session.har
  ${program} http://localhost:3000/blog
  ${program} --html blog.html http://localhost:3000/blog
  ${program} --quiet --max-gzip 40kB http://localhost:3000/

Exit status:
  0  it could be read, and is within the limits
  1  it is malformed, or exceeds a limit
  2  wrong usage, or there is nothing that can be read
`;
}

const options = {
  list: { type: 'boolean' },
  flight: { type: 'string' },
  rows: { type: 'boolean' },
  json: { type: 'boolean' },
  html: { type: 'string' },
  quiet: { type: 'boolean', short: 'q' },
  header: { type: 'string', short: 'H', multiple: true },
  'max-bytes': { type: 'string' },
  'max-gzip': { type: 'string' },
  'no-duplicates': { type: 'boolean' },
  'no-secrets': { type: 'boolean' },
  budget: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

type OptionName = keyof typeof options;

function isOption(name: string): name is OptionName {
  return Object.hasOwn(options, name);
}

function wrong(reason: string): Command {
  return { kind: 'wrong', reason };
}

/** Values by option, a list for each: who repeats an option that may not be repeated is told so. */
type Given = { values: Map<OptionName, string[]>; sources: string[] };

function collect(words: readonly string[]): Given | { kind: 'wrong'; reason: string } {
  const given: Given = { values: new Map(), sources: [] };
  for (const token of parseArgs({ args: [...words], options, strict: false, tokens: true }).tokens) {
    if (token.kind === 'positional') given.sources.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    if (!isOption(name)) return { kind: 'wrong', reason: `there is no option ${rawName}` };
    const takesValue = options[name].type === 'string';
    if (takesValue && value === undefined) return { kind: 'wrong', reason: `${rawName} needs a value` };
    if (!takesValue && value !== undefined) return { kind: 'wrong', reason: `${rawName} takes no value` };
    given.values.set(name, [...(given.values.get(name) ?? []), value ?? '']);
  }
  const repeated = [...given.values].find(([name, values]) => values.length > 1 && name !== 'header')?.[0];
  return repeated === undefined ? given : { kind: 'wrong', reason: `--${repeated} is there more than once` };
}

const urlStart = /^https?:\/\//i;

/** Another scheme, which a file's name seldom is: `ftp://…`. */
const otherScheme = /^[a-z][a-z0-9+.-]{1,20}:\/\//i;

export function readArguments(words: readonly string[]): Command {
  const given = collect(words);
  if ('kind' in given) return wrong(given.reason);
  const { values, sources } = given;
  if (values.has('help')) return { kind: 'help' };
  const [source, ...more] = sources;
  if (source === undefined) return wrong('no file and no URL is named');
  if (more.length > 0) return wrong('more than one file or URL is named');
  const isUrl = urlStart.test(source);
  if (isUrl ? !URL.canParse(source) : otherScheme.test(source)) return wrong(`${source} is no URL of http or https`);
  const flight = values.get('flight')?.[0];
  if (flight !== undefined && !/^[1-9]\d{0,5}$/.test(flight)) return wrong('--flight needs a number from 1');
  const headers = readHeaders(values.get('header') ?? []);
  if (!headers) return wrong('--header needs a name, a colon and a value: "Cookie: a=b"');
  if (headers.length > 0 && !isUrl) return wrong('--header is for a URL');
  const limits = readLimits(values);
  if (typeof limits === 'string') return wrong(limits);
  const budget = values.get('budget')?.[0];
  const hasLimits = budget !== undefined || Object.keys(limits).length > 0;
  if (values.has('list') && hasLimits) return wrong('--list checks no limits');
  const html = values.get('html')?.[0];
  if (html !== undefined && values.has('list')) return wrong('--list writes no file');
  if (html === '') return wrong('--html needs the name of a file');
  return {
    kind: 'read',
    source,
    isUrl,
    headers,
    isJson: values.has('json'),
    isList: values.has('list'),
    hasAllRows: values.has('rows'),
    isQuiet: values.has('quiet'),
    html,
    flight: flight === undefined ? undefined : Number(flight),
    limits,
    budget,
  };
}

/** Returns undefined when one of them is no header. */
export function readHeaders(texts: readonly string[]): Header[] | undefined {
  const headers: Header[] = [];
  for (const text of texts) {
    const [, name = '', value = ''] = /^([^:]+):(.*)$/s.exec(text) ?? [];
    const header = [name, value.trim()] as const;
    try {
      new Headers().set(...header);
    } catch {
      // Not a name or a value that HTTP allows.
      return undefined;
    }
    headers.push(header);
  }
  return headers;
}

/** The limits among the options, or what is wrong with one. */
function readLimits(values: ReadonlyMap<OptionName, readonly string[]>): Limits | string {
  const limits: { maxBytes?: number; maxGzip?: number; noDuplicates?: boolean; noSecrets?: boolean } = {};
  for (const [name, key] of [
    ['max-bytes', 'maxBytes'],
    ['max-gzip', 'maxGzip'],
  ] as const) {
    const text = values.get(name)?.[0];
    if (text === undefined) continue;
    const size = readSize(text);
    if (size === undefined) return `--${name} needs a size such as 150kB or 1.5MiB, not ${text}`;
    limits[key] = size;
  }
  if (values.has('no-duplicates')) limits.noDuplicates = true;
  if (values.has('no-secrets')) limits.noSecrets = true;
  return limits;
}
