/**
 * The name of the function around a line, read from the source's text. A bundle's names are the minifier's, and a source map does
 * not say which function contains a position. No parser runs inside somebody else's app, so this goes by indentation: the
 * nearest line above that is indented less and begins a function with a name. A source that is not indented gets no name,
 * because no name is better than a wrong one.
 */
const functionHeads = [
  /^(?:export )?(?:default )?(?:async )?function ?\*? ?([\w$]+) ?[(<]/,
  /^(?:export )?(?:const|let|var) ([\w$]+)(?:: [^=]{1,80})? = (?:async )?(?:function\b|\([^)]*\)(?:: [^=]{1,80})? =>|[\w$]+ =>)/,
  /^(?:(?:public|private|protected|static|override|async|get|set|\*) ?){0,3}(#?[\w$]+) ?\([^;]*\)[^;=]{0,80} \{/,
];
const noNames = new Set(['if', 'for', 'while', 'switch', 'catch', 'with', 'function', 'return', 'await', 'super']);
/** A function that begins further up is too long to be sure of. */
const linesLooked = 200;

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function readHead(line: string): string | undefined {
  const text = line.trim().slice(0, 300);
  const name = functionHeads.map((head) => head.exec(text)?.[1]).find((found) => found !== undefined);
  return name === undefined || noNames.has(name) ? undefined : name;
}

/** @param line from 1 @returns an empty text when no line says it */
export function nameFunction(lines: readonly string[], line: number): string {
  const at = lines[line - 1] ?? '';
  let indent = indentOf(at);
  // A function on one line.
  const own = /[{>] *\S/.test(at.trim()) ? readHead(at) : undefined;
  if (own !== undefined) return own;
  for (let above = line - 2; above >= Math.max(0, line - linesLooked) && indent > 0; above -= 1) {
    const text = lines[above] ?? '';
    if (text.trim() === '' || indentOf(text) >= indent) continue;
    indent = indentOf(text);
    const name = readHead(text);
    if (name !== undefined) return name;
  }
  return '';
}
