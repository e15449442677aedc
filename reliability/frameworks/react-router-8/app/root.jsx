import { Link, Outlet } from 'react-router';
import { ShowError } from './show-error.jsx';

export function ServerLayout({ children }) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
      </head>
      <body>
        <nav>
          <Link to="/">Home</Link>{' '}
          <Link to="/heavy" prefetch="intent">
            Heavy
          </Link>{' '}
          <Link to="/blog/first" prefetch="intent">
            First post
          </Link>{' '}
          <Link to="/act">Act</Link>
        </nav>
        {children}
      </body>
    </html>
  );
}

export function ServerComponent() {
  return <Outlet />;
}

export function ServerErrorBoundary() {
  return <ShowError />;
}
