import 'server-only';

import { readSource } from './read-source.ts';

/** What the lab can cause. The page of an experiment is `/lab/<name>`. */
export type Experiment = {
  readonly title: string;
  /** One sentence: what it does. */
  readonly happens: string;
  readonly lookFor: string;
  /** The modules to read, the most important one first. */
  readonly files: readonly string[];
  /** Its page is not shown, or only in part. So the index says what a reader needs to know. */
  readonly isFailing?: true;
};

export const experiments = {
  'throw-before-shell': {
    title: 'Throw before the shell',
    happens: 'A server component throws before anything of the page was sent.',
    lookFor:
      'Status 500 and a complete error page with a digest, also without JavaScript. After a navigation, the same inside this layout.',
    files: ['src/lab/throw-before-shell.tsx'],
    isFailing: true,
  },
  'throw-after-shell': {
    title: 'Throw after the shell',
    happens: 'A server component inside Suspense throws when the rest of the page is already on its way.',
    lookFor:
      'Status 200, because it was sent before the error; then the error with its digest in place of the part that failed.',
    files: ['src/lab/throw-after-shell.tsx'],
    isFailing: true,
  },
  'throw-string': {
    title: 'Throw a string',
    happens: 'A server component throws a string instead of an Error.',
    lookFor: 'A digest like any other, although there is no stack: the string itself is the cause.',
    files: ['src/lab/throw-string.tsx'],
    isFailing: true,
  },
  'throw-in-ssr': {
    title: 'Throw in server rendering only',
    happens: 'A client component throws while the server renders it to HTML, and never in the browser.',
    lookFor:
      'Without JavaScript an error page that says server-side; with it, the browser renders the page after all. The error is listed with the phase ssr and a component stack.',
    files: ['src/lab/throw-in-ssr.tsx'],
    isFailing: true,
  },
  'throw-in-browser': {
    title: 'Throw in the browser',
    happens: 'A client component throws when its first button is pressed; the second one’s handler throws by itself.',
    lookFor: 'An error that says client-side and points to the browser console, and the browser’s report of it.',
    files: ['src/lab/throw-in-browser.tsx'],
  },
  'throw-in-action': {
    title: 'Throw in an action',
    happens: 'A server action throws, called with JavaScript or by a plain form.',
    lookFor: 'Status 500 and a digest both ways.',
    files: ['src/lab/actions/throw-on-purpose.ts'],
  },
  'missing-data': {
    title: 'Missing data',
    happens: 'While a page renders, it finds that its data does not exist.',
    lookFor: 'The 404 page with status 404; after a navigation, the same page.',
    files: ['src/pages/lab/missing-data.tsx'],
    isFailing: true,
  },
  'page-data': {
    title: 'Page data',
    happens: 'A server component fetches from an upstream that fails as often as it is told to, before it answers.',
    lookFor: 'Up to three retries within one render; when they are used up, an error page with a digest.',
    files: ['src/pages/lab/page-data.tsx'],
  },
  slow: {
    title: 'Slow page',
    happens: 'The server waits before it answers.',
    lookFor: 'Below 3.8 s the page changes in place, above it the browser loads it as a document instead.',
    files: ['src/lab/slow.tsx'],
  },
  stalled: {
    title: 'Stalled page',
    happens: 'When a link asks for it, the page sends its headers and then nothing more.',
    lookFor: 'After 3.8 s the navigation becomes a document load, which works.',
    files: ['src/lab/stalled.tsx'],
  },
  prefetch: {
    title: 'Prefetching',
    happens: 'Thirty links come into view one after the other and are prefetched.',
    lookFor:
      'Never more than five prefetches at once; what you point at goes first, and a click takes its prefetch over. The flights of this visit show it.',
    files: ['src/lab/prefetch.tsx'],
  },
  actions: {
    title: 'Server actions',
    happens: 'Forms and buttons call every kind of server action.',
    lookFor: 'Each is a POST to this page’s own address, and the forms work without JavaScript too.',
    files: ['src/pages/lab/actions.tsx', 'src/lab/actions/save-nickname.ts'],
  },
  streaming: {
    title: 'Streaming page',
    happens: 'A page arrives in six parts, each later than the one before.',
    lookFor: 'The browser waits for a stream that moves, however long it takes.',
    files: ['src/lab/streaming.tsx'],
  },
} as const satisfies Record<string, Experiment>;

export type ExperimentName = keyof typeof experiments;

/** In the order that suits somebody new. */
export const experimentGroups: readonly { readonly title: string; readonly names: readonly ExperimentName[] }[] = [
  {
    title: 'Errors and their digests',
    names: ['throw-before-shell', 'throw-after-shell', 'throw-string', 'throw-in-ssr', 'throw-in-browser'],
  },
  { title: 'Server actions', names: ['actions', 'throw-in-action'] },
  { title: 'Data', names: ['page-data', 'missing-data'] },
  { title: 'Navigation', names: ['prefetch', 'slow', 'stalled', 'streaming'] },
];

/** An experiment with the text of its modules, as its page shows it. */
export function describeExperiment(name: ExperimentName) {
  const { title, happens, lookFor, files }: Experiment = experiments[name];
  return { title, happens, lookFor, sources: files.map((file) => ({ file, source: readSource(file) })) };
}
