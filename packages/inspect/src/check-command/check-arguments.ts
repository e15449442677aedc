import { parseArgs } from 'node:util';

import { describeError } from '#boundary';

import { readHeaders, type Header } from '../flight-command/arguments.ts';
import { severities, type Severity } from './check-finding.ts';

export type CheckCommand =
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly reason: string }
  | {
      readonly kind: 'check';
      readonly address: URL;
      readonly routes: readonly string[];
      readonly headers: readonly Header[];
      readonly obeysRobots: boolean;
      readonly format: 'text' | 'json' | 'markdown';
      /** Where the report is written as one HTML file. */
      readonly html: string | undefined;
      /** The mildest that fails; undefined: nothing does. */
      readonly failOn: Severity | undefined;
    };

/** `program` is how the command was called. */
export function writeCheckUsage(program: string): string {
  return `Usage: ${program} [options] <url>

Looks at a site from outside, with at most 40 requests: what its pages weigh and
are made of, what is sent twice, caches, error pages, compression, source maps.
For sites of your own: it says who it is, and obeys robots.txt.

      --routes <paths>    pages to look at, with commas: /,/products,/cart
  -H, --header <header>   sent with each request: "Cookie: a=b"; repeatable
      --ignore-robots     also what robots.txt forbids
      --json              the report as JSON; its shape: docs/check.md
      --markdown          the report as Markdown
      --html <file>       the report as one HTML file, too
      --fail-on <word>    high, medium, low or never (default: high)
  -h, --help              this text

Examples:
  ${program} http://localhost:3000
  ${program} --routes /,/cart --html report.html https://shop.example

Exit status:
  0  nothing as bad as --fail-on was found
  1  something was
  2  wrong usage, or the site does not answer
`;
}

const options = {
  routes: { type: 'string' },
  header: { type: 'string', short: 'H', multiple: true },
  'ignore-robots': { type: 'boolean' },
  json: { type: 'boolean' },
  markdown: { type: 'boolean' },
  html: { type: 'string' },
  'fail-on': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

function wrong(reason: string): CheckCommand {
  return { kind: 'wrong', reason };
}

function parse(words: readonly string[]) {
  return parseArgs({ args: [...words], options, allowPositionals: true });
}

/** `//elsewhere` is another site. */
function isPathOf(site: URL, path: string): boolean {
  return path.startsWith('/') && URL.canParse(path, site) && new URL(path, site).origin === site.origin;
}

function readFailOn(word: string): Severity | 'never' | undefined {
  return word === 'never' ? word : severities.find((severity) => severity === word && severity !== 'note');
}

export function readCheckArguments(words: readonly string[]): CheckCommand {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(words);
  } catch (error) {
    return wrong(describeError(error).split('. ')[0] ?? '');
  }
  const { values, positionals } = parsed;
  if (values.help) return { kind: 'help' };
  const [address, ...more] = positionals;
  if (address === undefined) return wrong('no address is named');
  if (more.length > 0) return wrong('more than one address is named');
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return wrong(`${address} is no URL of http or https`);
  const url = new URL(address);
  const routes = (values.routes ?? '').split(',').filter((path) => path !== '');
  const hasOther = routes.some((path) => !isPathOf(url, path));
  if (hasOther) return wrong('--routes needs paths that begin with a slash: /,/cart');
  const headers = readHeaders(values.header ?? []);
  if (!headers) return wrong('--header needs a name, a colon and a value: "Cookie: a=b"');
  if (values.json && values.markdown) return wrong('--json and --markdown are two forms: choose one');
  const failOn = readFailOn(values['fail-on'] ?? 'high');
  if (failOn === undefined) return wrong('--fail-on needs high, medium, low or never');
  return {
    kind: 'check',
    address: url,
    routes,
    headers,
    obeysRobots: !values['ignore-robots'],
    format: values.json ? 'json' : values.markdown ? 'markdown' : 'text',
    html: values.html,
    failOn: failOn === 'never' ? undefined : failOn,
  };
}
