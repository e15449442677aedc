import { ErrorBoundary } from './error-boundary.jsx';
import { Page } from './pages.jsx';

export function Document({ path }) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <title>Bare</title>
      </head>
      <body>
        <nav>
          <a href="/">Home</a> <a href="/heavy">Heavy</a> <a href="/blog/first">First post</a> <a href="/act">Act</a>
        </nav>
        {/* A new page is a new boundary: the failure of the last one is gone. */}
        <ErrorBoundary key={path}>
          <Page path={path} />
        </ErrorBoundary>
      </body>
    </html>
  );
}
