import 'server-only';

import { formWords } from './form-words.ts';
import { replyWords } from './reply-words.ts';
import { rootWords } from './root-words.ts';
import { hintWords, rowWords } from './row-words.ts';
import { endingWords } from './endings.tsx';
import { travelWords } from './travel.tsx';
import type { Words } from './words.ts';

type Listed = { readonly anchor: string; readonly name: string; readonly short: string };

type Chapter = { readonly anchor: string; readonly title: string; readonly tokens: readonly Listed[] };

const rows = Object.values(rowWords);
const isDevelopment = ({ isDevelopment: only }: Words) => only === true;

/** `1:T…` → `T`, `:HL…` → `HL`, `$L1` → `$L`. */
function shorten({ token, name }: Words): string {
  const short =
    token
      .replace(/^1?:/, '')
      .replace(/…/g, '')
      .split(' ')[0]
      ?.replace(/(?<=^\$.+)1$/, '') ?? '';
  return short === '' ? name : short;
}

function list(words: readonly Words[]): Listed[] {
  return words.map((entry) => ({ anchor: entry.anchor, name: entry.name, short: shorten(entry) }));
}

export const tableOfContents: readonly Chapter[] = [
  { anchor: 'start', title: 'Start here', tokens: [] },
  { anchor: 'framing', title: 'What Flight is', tokens: [] },
  {
    anchor: 'rows',
    title: 'Rows',
    tokens: list([...rows.filter((words) => !isDevelopment(words)), ...Object.values(hintWords)]),
  },
  {
    anchor: 'forms',
    title: 'Values that begin with $',
    tokens: list(formWords.filter((words) => !isDevelopment(words) && words.direction !== 'request')),
  },
  {
    anchor: 'requests',
    title: 'Requests',
    tokens: list([...replyWords, ...formWords.filter(({ direction }) => direction === 'request')]),
  },
  {
    anchor: 'endings',
    title: 'How a payload ends',
    tokens: endingWords.map(({ anchor, name }) => ({ anchor, name, short: name })),
  },
  {
    anchor: 'travel',
    title: 'How it travels',
    tokens: travelWords.map(({ anchor, name, token }) => ({ anchor, name, short: token })),
  },
  {
    anchor: 'development',
    title: 'Development',
    tokens: list([...rows.filter(isDevelopment), ...formWords.filter(isDevelopment)]),
  },
  {
    anchor: 'roots',
    title: 'Roots of the frameworks',
    tokens: rootWords.map(({ anchor, title }) => ({ anchor, name: title, short: title })),
  },
  { anchor: 'versions', title: 'Versions', tokens: [] },
];
