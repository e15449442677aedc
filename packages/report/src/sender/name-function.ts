/**
 * The name of the function around a line, read from the source's text. A bundle's names are the minifier's, and a source map does
 * not say which function contains a position. No parser runs inside somebody else's app, so this goes by indentation: the
 * nearest line above that is indented less and begins a function with a name. A source that is not indented gets no name, nor does a
 * place on a line where another function begins or ends before it, because no name is better than a wrong one.
 */
const functionHeads = [
  /^(?:export )?(?:default )?(?:async )?function ?\*? ?([\w$]+) ?[(<]/,
  /^(?:export )?(?:const|let|var) ([\w$]+)(?:: [^=]{1,80})? = (?:async )?(?:function\b|\([^)]*\)(?:: [^=]{1,80})? =>|[\w$]+ =>)/,
  /^(?:(?:public|private|protected|static|override|async|get|set|\*) ?){0,3}(#?[\w$]+) ?\((?:(?!=>)[^;])*?\)[^;={]{0,80} \{/,
];
const noNames = new Set(['if', 'for', 'while', 'switch', 'catch', 'with', 'function', 'return', 'await', 'super']);
/** A function that begins further up is too long to be sure of. */
const linesLooked = 200;

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

const longestHead = 300;
/** Texts may hold brackets and words of the language. */
const texts = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`/g;
/** A function begins, or what a line's first one is given to ends. */
const beginsAnother = /=>|\bfunction\b|(?<!\b(?:if|for|while|switch|catch|with) ?\([^{}]*)[\w$]?\) \{/;
/** Before a place on a line. A longer one is nobody's own text. */
const longestBefore = 2_000;

type Head = { readonly name: string; readonly length: number };

function readHead(text: string): Head | undefined {
  for (const head of functionHeads) {
    const found = head.exec(text.slice(0, longestHead));
    if (found?.[1] !== undefined && !noNames.has(found[1])) return { name: found[1], length: found[0].length };
  }
  return undefined;
}

/** Whether a body that ends with `before` is still open there, and holds no other function. */
function isInside(before: string): boolean {
  // Its own brace is open. One that closes first was of the type that it returns.
  let depth = 1;
  for (const sign of before) {
    if (sign === '{') depth += 1;
    else if (sign === '}') depth -= 1;
  }
  return depth > 0 && !beginsAnother.test(before);
}

/** Where the body begins that belongs to a head; undefined where it has no braces, as of some arrows. Braces of parameters are none. */
function findBody(text: string, head: Head): number | undefined {
  let parentheses = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '(') parentheses += 1;
    else if (sign === ')') parentheses -= 1;
    else if (sign === '{' && parentheses === 0 && at >= head.length - 1) return at + 1;
    else if ((sign === ',' || sign === ';') && parentheses === 0) return undefined;
  }
  return undefined;
}

/**
 * The function that a line begins with, if a place on the line is in it.
 * @param end how many characters of the line are before the place
 * @returns an empty text where it is not sure; undefined where the line begins with none
 */
function nameAt(line: string, end: number): string | undefined {
  const start = indentOf(line);
  const seen = line.slice(start, start + longestHead + longestBefore);
  const text = seen.replaceAll(texts, (found) => ' '.repeat(found.length));
  const head = readHead(text);
  if (!head) return undefined;
  if (end - start > seen.length) return '';
  const body = findBody(text, head);
  const before = text.slice(body ?? head.length, Math.max(body ?? head.length, end - start));
  // Of an arrow without braces nothing but a sign behind it shows where it ends.
  if (body === undefined && /[,;]/.test(before)) return '';
  return isInside(before) ? head.name : '';
}

/** @param line from 1, as `column` @returns an empty text when no line says it */
export function nameFunction(lines: readonly string[], line: number, column: number): string {
  const at = lines[line - 1] ?? '';
  let indent = indentOf(at);
  // A function on one line.
  const own = /[{>] *\S/.test(at.trim()) ? nameAt(at, column - 1) : undefined;
  if (own !== undefined) return own;
  for (let above = line - 2; above >= Math.max(0, line - linesLooked) && indent > 0; above -= 1) {
    const text = lines[above] ?? '';
    if (text.trim() === '' || indentOf(text) >= indent) continue;
    indent = indentOf(text);
    const name = nameAt(text, text.length);
    if (name !== undefined) return name;
  }
  return '';
}
