import 'server-only';

import css from './error-panel.css?inline';
import { ErrorPanel } from './error-panel.tsx';

/** A whole HTML document for an error that left nothing else to show. It needs no other file, not even a stylesheet. */
export function ErrorDocument({ side, digest }: { side: 'server' | 'browser'; digest: string | undefined }) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>Something went wrong</title>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <style>{css}</style>
      </head>
      <body>
        <ErrorPanel side={side} digest={digest} />
      </body>
    </html>
  );
}
