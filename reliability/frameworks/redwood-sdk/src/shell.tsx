import { ErrorBoundary } from './error-boundary.jsx';
import { Page } from './pages.jsx';

export function Shell({ path }) {
  return (
    <>
      {/* The client fetches what such a link names once the page is shown. */}
      <link rel="x-prefetch" href="/blog/third" />
      <nav>
        <a href="/">Home</a> <a href="/heavy">Heavy</a> <a href="/blog/first">First post</a> <a href="/act">Act</a>
      </nav>
      <ErrorBoundary key={path}>
        <Page path={path} />
      </ErrorBoundary>
    </>
  );
}
