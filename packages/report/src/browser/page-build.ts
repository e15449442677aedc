/**
 * The build that a page is of, as its framework has written it into the page: the Flight of Next.js, of Waku and of React Router says it
 * in its scripts, and with a deployment id Next.js says that in the document's first element. Read when an error is told: at the start of
 * a page its scripts are not there.
 */
const said = /(?:"P":null,"b|"d":"[^"]*","b|"buildId|"_buildId|"clientVersion)":"([^"]{1,200})"/;
/** What `next dev` says. */
const development = 'development';

let known: string | undefined;

export function readPageBuild(): string | undefined {
  known ??= document.documentElement.dataset['dplId'];
  for (const { src, text } of known === undefined ? document.scripts : []) {
    // In a script the payload is a text within a text.
    if (src === '') known ??= said.exec(text.replaceAll('\\', ''))?.[1];
  }
  return known === development ? undefined : known;
}
