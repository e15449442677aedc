import css from './error-panel.css?inline';
import { ErrorPanel, type ErrorPanelProps } from './error-panel.tsx';

/**
 * A whole HTML document for an error that left nothing else to show, on the server and in the browser. It needs no other
 * file, not even a stylesheet.
 */
export function ErrorDocument(props: ErrorPanelProps) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <style>{css}</style>
      </head>
      <body className="flight-error-document">
        <main>
          <ErrorPanel {...props} />
        </main>
      </body>
    </html>
  );
}
