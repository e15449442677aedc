import { parseArgs } from 'node:util';

import { describeError } from '#boundary';

import { readHeaders, type Header } from '../flight-command/arguments.ts';
import { readSize } from '../flight-command/read-size.ts';

export type CompareCommand =
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly reason: string }
  | CompareAsked;

export type CompareAsked = {
  readonly kind: 'compare';
  /** An address, a folder or a file, each. */
  readonly base: string;
  readonly head: string;
  /** Paths, instead of those that links lead to. */
  readonly routes: readonly string[];
  readonly headers: readonly Header[];
  readonly format: 'text' | 'json' | 'markdown';
  /** Where the comparison is written as one HTML file. */
  readonly html: string | undefined;
  readonly maxGrowth: Growth | undefined;
  /** A secret that only the head sends fails. */
  readonly noSecrets: boolean;
  /** A file with limits for each route of the head. */
  readonly budget: string | undefined;
};

/** How much larger a route's Flight may be than before. */
export type Growth = { readonly unit: 'percent' | 'bytes'; readonly value: number };

/** `program` is how the command was called. */
export function writeCompareUsage(program: string): string {
  return `Usage: ${program} [options] <base> <head>

Says what changed in the payloads of an app, route by route: sizes, rows, client
modules, which component sends more, new findings and secrets. Each of the two
is an address (the app runs there), a folder of saved responses, one file, or
what a recorder kept: a list of its API, whose token is FLIGHT_RECORDER_TOKEN.

      --routes <paths>    pages to compare, with commas: /,/products,/cart
  -H, --header <header>   sent with each request: "Cookie: a=b"; repeatable
      --json              as JSON; its shape: docs/compare.md
      --markdown          as Markdown, for a comment on a pull request
      --html <file>       as one HTML file with the viewer, too

As a check, which fails when a limit is exceeded:
      --max-growth <n>    by how much a route may grow: 5% or 10kB
      --no-secrets        no secret that was not there before
      --budget <file>     limits for each route of the head: docs/flight-cli.md

  -h, --help              this text

Examples:
  ${program} http://localhost:3000 http://localhost:3001
  ${program} --markdown --max-growth 5% saved/main saved/branch
  ${program} "$FLIGHT/api/v1/flights" http://localhost:3000

Exit status:
  0  compared, and within the limits
  1  a limit is exceeded
  2  wrong usage, or there is nothing to compare
`;
}

const options = {
  routes: { type: 'string' },
  header: { type: 'string', short: 'H', multiple: true },
  json: { type: 'boolean' },
  markdown: { type: 'boolean' },
  html: { type: 'string' },
  'max-growth': { type: 'string' },
  'no-secrets': { type: 'boolean' },
  budget: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

function wrong(reason: string): CompareCommand {
  return { kind: 'wrong', reason };
}

function parse(words: readonly string[]) {
  return parseArgs({ args: [...words], options, allowPositionals: true });
}

export function isAddress(source: string): boolean {
  return /^https?:\/\//i.test(source) && URL.canParse(source);
}

export function readGrowth(text: string): Growth | undefined {
  const percent = /^(\d{1,4}(?:\.\d{1,2})?)\s*%$/.exec(text)?.[1];
  if (percent !== undefined) return { unit: 'percent', value: Number(percent) };
  const bytes = readSize(text);
  return bytes === undefined ? undefined : { unit: 'bytes', value: bytes };
}

export function readCompareArguments(words: readonly string[]): CompareCommand {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(words);
  } catch (error) {
    return wrong(describeError(error).split('. ')[0] ?? '');
  }
  const { values, positionals } = parsed;
  if (values.help) return { kind: 'help' };
  const [base, head, ...more] = positionals;
  if (base === undefined || head === undefined) return wrong('two addresses, folders or files are needed');
  if (more.length > 0) return wrong('more than two are named');
  const hasAddress = isAddress(base);
  if (hasAddress !== isAddress(head)) return wrong('an address is compared with an address, saved responses with such');
  const routes = (values.routes ?? '').split(',').filter((path) => path !== '');
  if (routes.some((path) => !path.startsWith('/') || path.startsWith('//'))) {
    return wrong('--routes needs paths that begin with a slash: /,/cart');
  }
  const headers = readHeaders(values.header ?? []);
  if (!headers) return wrong('--header needs a name, a colon and a value: "Cookie: a=b"');
  if (!hasAddress && (headers.length > 0 || routes.length > 0)) return wrong('--routes and --header are for addresses');
  if (values.json && values.markdown) return wrong('--json and --markdown are two forms: choose one');
  const maxGrowth = values['max-growth'] === undefined ? undefined : readGrowth(values['max-growth']);
  if (values['max-growth'] !== undefined && !maxGrowth) {
    return wrong('--max-growth needs a share or a size: 5% or 10kB');
  }
  return {
    kind: 'compare',
    base,
    head,
    routes,
    headers,
    format: values.json ? 'json' : values.markdown ? 'markdown' : 'text',
    html: values.html,
    maxGrowth,
    noSecrets: values['no-secrets'] === true,
    budget: values.budget,
  };
}
