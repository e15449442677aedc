/** The words that this interface has of its own: at most fifteen, each said in at most fifteen words. `Term` shows them. */
export const glossary = {
  fault: 'All errors with one cause, counted together, until somebody resolves it.',
  flight: 'One answer of a server in React’s Flight format, with its times.',
  visit: 'What one browser tab got, as far as tabs can be told apart.',
  phase: 'What the server was doing when the error was thrown.',
  digest: 'The code on an error page. It leads to the error behind it.',
  error: 'One event that went wrong, told by a server (trusted) or a browser (untrusted).',
  route: 'The page, or pattern of pages, that answered, whatever its parameters were.',
  payload: 'The bytes of a flight, as the browser got them.',
  prefetch: 'A page that was fetched before anybody clicked its link.',
  instance: 'One server process that shares this database with others.',
} as const;

export type GlossaryWord = keyof typeof glossary;
