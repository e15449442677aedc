/**
 * One word of a command line for Windows' cmd, so that the program gets it as it is: quoted as its C library reads it, and each
 * character that cmd itself would act on marked twice, since a batch file passes the line on through cmd again.
 */
export function quoteForCmd(word: string): string {
  const quoted = `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')}"`;
  const mark = (text: string) => text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&');
  return mark(mark(quoted));
}
