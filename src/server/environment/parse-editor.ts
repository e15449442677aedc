/**
 * How editors open a file at a line, by an address of their own. `{path}` is the file's whole path. JetBrains' editors take such an
 * address where the Toolbox has set it up (on macOS by themselves); Sublime Text where a handler for `subl:` is installed.
 */
const editors: Readonly<Record<string, string>> = {
  vscode: 'vscode://file/{path}:{line}:{column}',
  'vscode-insiders': 'vscode-insiders://file/{path}:{line}:{column}',
  vscodium: 'vscodium://file/{path}:{line}:{column}',
  cursor: 'cursor://file/{path}:{line}:{column}',
  windsurf: 'windsurf://file/{path}:{line}:{column}',
  zed: 'zed://file/{path}:{line}:{column}',
  webstorm: 'webstorm://open?file={path}&line={line}&column={column}',
  idea: 'idea://open?file={path}&line={line}&column={column}',
  sublime: 'subl://open?url=file://{path}&line={line}&column={column}',
};

export const editorNames: readonly string[] = Object.keys(editors);

/** What a browser would run, or show in place of the page. */
const isRun = /^(?:javascript|data|vbscript|blob|about|view-source):/i;
const form = /^[A-Za-z][A-Za-z0-9+.-]*:[!-~]+$/;
const placeholder = /\{[^{}]*\}/g;

/** @returns the template of a link: that of a known editor, or `text` itself; undefined when it is neither */
export function parseEditor(text: string): string | undefined {
  const known = Object.hasOwn(editors, text) ? editors[text] : undefined;
  if (known !== undefined) return known;
  if (!form.test(text) || isRun.test(text) || !text.includes('{path}')) return undefined;
  const isKnown = (name: string) => ['{path}', '{line}', '{column}'].includes(name);
  return (text.match(placeholder) ?? []).every(isKnown) ? text : undefined;
}
