/**
 * Frameworks redirect, and say "not found", by throwing. What they throw crosses the wire as an error with a digest that says what
 * it is. It is no failure, and nobody can look it up.
 */
const statuses: Readonly<Record<string, string>> = { '401': 'unauthorized', '403': 'forbidden', '404': 'not found' };

/** What a control flow digest says, in words. Undefined for the digest of an error. */
export function describeControl(digest: string): string | undefined {
  // Next adds the number of the error (`@E394`) to some.
  const [name = '', ...parts] = digest.replace(/@E\d+$/, '').split(';');
  switch (name) {
    case 'NEXT_REDIRECT':
      return `Next.js redirects${parts[1] ? ` to ${parts[1]}` : ''}`;
    case 'NEXT_HTTP_ERROR_FALLBACK':
      return `Next.js answers ${parts[0] ?? ''} (${statuses[parts[0] ?? ''] ?? 'an HTTP error page'})`;
    case 'NEXT_NOT_FOUND':
      return 'Next.js answers 404 (not found)';
    case 'BAILOUT_TO_CLIENT_SIDE_RENDERING':
      return 'Next.js leaves this part to the browser';
    case 'DYNAMIC_SERVER_USAGE':
    case 'NEXT_STATIC_GEN_BAILOUT':
      return 'Next.js renders this page for each request';
    case 'HANGING_PROMISE_REJECTION':
    case 'NEXT_PRERENDER_INTERRUPTED':
      return 'Next.js stops prerendering here';
    default:
      if (name.startsWith('REACT_ROUTER_')) return 'React Router redirects, or answers itself';
      return name.startsWith('__WAKU_') ? 'Waku redirects, or answers itself' : undefined;
  }
}
