export function Document({ children }) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <link rel="modulepreload" href="/src/client.tsx" />
      </head>
      <body>
        <div id="hydrate-root">{children}</div>
        <script>import("/src/client.tsx")</script>
      </body>
    </html>
  );
}
