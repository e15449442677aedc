/** A page that needs nothing that would have to be loaded: where there is no page of the app, or nothing else works. All of it is HTML. */
export type PlainPage = {
  readonly title: string;
  /** Where it says more than the title. */
  readonly heading?: string;
  readonly content: string;
  /** A refusal or a failure, which a screen reader says at once. */
  readonly isAlert?: boolean;
  /** Lines that stand in the head besides. */
  readonly head?: string;
};

export function renderPlainPage({ title, heading = title, content, isAlert = false, head = '' }: PlainPage): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
${head}<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:12vh auto 0;padding:1.5rem}</style>
</head>
<body>
<main${isAlert ? ' role="alert"' : ''}>
<h1>${heading}</h1>
${content}
</main>
</body>
</html>
`;
}
