import type { SourcePlace } from './fill-template.ts';

const isName = /^[A-Za-z_$][\w$]*$/;

/**
 * Where a source declares a name, as far as its text says it; its beginning where it does not. An editor opens it for a person to read:
 * a comment that looks like a declaration only leads a few lines astray.
 */
export function findDeclaration(text: string, name: string): SourcePlace {
  const escaped = isName.test(name) ? name.replaceAll('$', String.raw`\$`) : undefined;
  const found =
    escaped && new RegExp(String.raw`\b(?:function\*?|const|let|class)\s+(?=${escaped}(?![\w$]))`).exec(text);
  if (!found) return { line: 1, column: 1 };
  const before = text.slice(0, found.index).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
