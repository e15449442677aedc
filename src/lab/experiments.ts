/** What the lab can make happen. The page of an experiment is `/lab/<name>`. */
export type Experiment = {
  readonly title: string;
  /** One sentence: what it does. */
  readonly happens: string;
  readonly lookFor: string;
  /** It fails as it is shown, so its page cannot show its source. */
  readonly isFailing?: true;
};

export const experiments = {
  'throw-before-shell': {
    title: 'Throw before the shell',
    happens: 'A server component throws before anything of the page was sent.',
    lookFor:
      'Status 500 and a complete error page with a digest, also without JavaScript. After a navigation, the same inside this layout.',
    isFailing: true,
  },
  'throw-after-shell': {
    title: 'Throw after the shell',
    happens: 'A server component inside Suspense throws when the rest of the page is already on its way.',
    lookFor:
      'Status 200, because it was sent before the error; then the error with its digest in place of the part that failed.',
    isFailing: true,
  },
  'throw-string': {
    title: 'Throw a string',
    happens: 'A server component throws a string instead of an Error.',
    lookFor: 'A digest like any other, although there is no stack: the string itself is the cause.',
    isFailing: true,
  },
  'throw-in-ssr': {
    title: 'Throw in server rendering only',
    happens: 'A client component throws while the server renders it to HTML, and never in the browser.',
    lookFor:
      'Without JavaScript an error page that says server-side; with it, the browser renders the page after all. The error is listed with the phase ssr and a component stack.',
    isFailing: true,
  },
  'throw-in-browser': {
    title: 'Throw in the browser',
    happens: 'A client component throws when its button is pressed.',
    lookFor: 'An error that says client-side and points to the browser console, and the browser’s report of it.',
  },
  'throw-in-action': {
    title: 'Throw in a server action',
    happens: 'A server action throws, called with JavaScript or by a plain form.',
    lookFor: 'Status 500 and a digest both ways.',
  },
  'missing-data': {
    title: 'Missing data',
    happens: 'A page finds out while rendering that what it should show does not exist.',
    lookFor: 'The 404 page with status 404; after a navigation, the same page.',
  },
  'page-data': {
    title: 'Flaky page data',
    happens: 'A server component fetches from a server that fails as often as it is told to.',
    lookFor: 'Up to three retries in one render, and an error with a digest when they are used up.',
  },
  slow: {
    title: 'Slow page',
    happens: 'A page takes as long as it is told to.',
    lookFor: 'Below the route loading timeout a navigation, above it a document load.',
  },
  stalled: {
    title: 'Stalled page',
    happens: 'A page never finishes.',
    lookFor: 'After the route loading timeout the navigation becomes a document load.',
  },
  prefetch: {
    title: 'Thirty links',
    happens: 'Thirty links to dynamic pages come into view at once.',
    lookFor:
      'Never more than five prefetches at once; the link under the pointer goes first, and a click takes its prefetch over.',
  },
  actions: {
    title: 'Server actions',
    happens: 'Forms and buttons call every kind of server action.',
    lookFor: 'Requests go to this page’s own address; every form works without JavaScript too.',
  },
  streaming: {
    title: 'Streaming',
    happens: 'A page arrives in parts, each later than the one before.',
    lookFor: 'A navigation here is left alone for as long as the stream moves.',
  },
} as const satisfies Record<string, Experiment>;

export type ExperimentName = keyof typeof experiments;

/** In the order in which somebody new would try them. */
export const experimentGroups: readonly { readonly title: string; readonly names: readonly ExperimentName[] }[] = [
  {
    title: 'Errors and their digests',
    names: ['throw-before-shell', 'throw-after-shell', 'throw-string', 'throw-in-ssr', 'throw-in-browser'],
  },
  { title: 'Server actions', names: ['actions', 'throw-in-action'] },
  { title: 'Data', names: ['page-data', 'missing-data'] },
  { title: 'Navigation', names: ['prefetch', 'slow', 'stalled', 'streaming'] },
];
