import type { ReactNode } from 'react';

import { faviconPath } from '#src/server/http/addresses.ts';

import { ErrorPanel, type ErrorPanelProps } from './error-panel.tsx';

/**
 * A whole HTML document for an error that left nothing else to show, on the server and in the browser. It needs no
 * other file, not even a style sheet.
 *
 * @param styles the panel's style sheet as text; the caller knows where to get it
 * @param children development's script
 */
export function ErrorDocument({
  styles,
  children,
  ...props
}: ErrorPanelProps & { readonly styles: string; readonly children?: ReactNode }) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        {/* Another app's icon is its own affair. */}
        {import.meta.env.FLIGHT_INSIDE ? null : <link rel="icon" href={faviconPath} type="image/svg+xml" />}
        <style>{styles}</style>
      </head>
      <body className="flight-error-document">
        <main>
          <ErrorPanel {...props} />
        </main>
        {children}
      </body>
    </html>
  );
}
