import { errorCodes } from '#src/http/error-codes.ts';

/** What a person sees in place of a page of the app. It has nothing of the upstream's own words: they may name its host. */
export function unreachablePage(code: 'upstream-unreachable' | 'upstream-broke'): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>No answer from the app</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:12vh auto 0;padding:1.5rem;color-scheme:light dark}</style>
</head>
<body>
<main>
<h1>No answer from the app</h1>
<p>${errorCodes[code].message}</p>
<p><a href="">Try again</a></p>
</main>
</body>
</html>
`;
}
