import { createRootRoute, HeadContent, Link, Outlet, Scripts } from '@tanstack/react-router';

export const Route = createRootRoute({ component: Root });

function Root() {
  return (
    <html lang="en">
      <head>
        <HeadContent />
      </head>
      <body>
        <nav>
          <Link to="/">Home</Link> <Link to="/heavy">Heavy</Link>{' '}
          <Link to="/blog/$slug" params={{ slug: 'first' }}>
            First post
          </Link>{' '}
          <Link to="/blog/$slug" params={{ slug: 'third' }} preload="intent">
            Third post
          </Link>{' '}
          <Link to="/act">Act</Link>
        </nav>
        <Outlet />
        <Scripts />
      </body>
    </html>
  );
}
