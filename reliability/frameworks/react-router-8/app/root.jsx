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
          <Link to="/">Home</Link> <Link to="/heavy">Heavy</Link> <Link to="/blog/first">First post</Link>{' '}
          <Link to="/blog/third" prefetch="intent">
            Third post
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
