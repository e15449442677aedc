import type { ExpectedExchange } from './expected-exchange.ts';

/** What differs between the apps that have no framework: only the conventions of whoever wrote the server. */
type Conventions = {
  /** The address of the payload of a page. */
  readonly target: (path: string) => RegExp;
  readonly contentType: string;
  readonly requestHeaders?: ExpectedExchange['requestHeaders'];
  readonly actionId: ExpectedExchange['actionId'];
  readonly action: Partial<ExpectedExchange>;
  readonly actionError: Partial<ExpectedExchange>;
  readonly documentError: Partial<ExpectedExchange>;
};

const page = {
  status: 200,
  contentType: 'text/html',
  kind: 'document',
  route: null,
  digests: 'none',
  body: /\(self\.__FLIGHT_DATA\|\|=\[\]\)\.push\(/,
} as const;

export function listBareExchanges(conventions: Conventions): readonly ExpectedExchange[] {
  const { target, contentType, requestHeaders = {}, actionId } = conventions;
  const flight = { status: 200, contentType, requestHeaders, route: null, digests: 'none' } as const;
  const navigation = { ...flight, kind: 'navigation' } as const;
  const action = { ...flight, kind: 'action', method: 'POST', target: target('/act'), actionId } as const;
  return [
    { ...page, name: 'document', step: 'home', target: /^\/$/ },
    { ...page, name: 'document-dynamic', step: 'document-blog', target: /^\/blog\/second$/ },
    { ...page, name: 'document-late-error', step: 'document-late', target: /^\/late$/, digests: 'empty' },
    {
      ...page,
      name: 'document-error',
      step: 'document-boom',
      target: /^\/boom$/,
      status: 500,
      ...conventions.documentError,
    },
    { ...navigation, name: 'navigation-heavy', step: 'click-heavy', target: target('/heavy') },
    { ...navigation, name: 'navigation-dynamic', step: 'click-blog', target: target('/blog/first') },
    { ...navigation, name: 'navigation-error', step: 'click-boom', target: target('/boom'), digests: 'empty' },
    { ...navigation, name: 'navigation-late-error', step: 'click-late', target: target('/late'), digests: 'empty' },
    { ...action, name: 'action', step: 'greet', ...conventions.action },
    { ...action, name: 'action-error', step: 'fail', ...conventions.actionError },
  ];
}
