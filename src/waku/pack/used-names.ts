import type { UsedNames } from './vendor.ts';
import { isNode, readName, visit } from './walk-program.ts';

/** Which names of a package a module uses: what it imports, and for `import * as all`, each `all.name`. */
export function listUsedNames(program: unknown, name: string): UsedNames {
  const names = new Set<string>();
  const namespaces = new Set<string>();
  let isWhole = false;
  visit(program, (node) => {
    if (!('source' in node) || !isNode(node.source) || !('value' in node.source) || node.source.value !== name) return;
    if (node.type !== 'ImportDeclaration' || !('specifiers' in node) || !Array.isArray(node.specifiers)) {
      isWhole = true;
      return;
    }
    for (const specifier of node.specifiers) readSpecifier(specifier, names, namespaces);
  });
  if (namespaces.size > 0) {
    visit(program, (node) => {
      if (node.type !== 'MemberExpression' || !('object' in node) || !('property' in node)) return;
      const object = readName(node.object);
      const property = readName(node.property);
      if (object === undefined || !namespaces.has(object)) return;
      if (property === undefined || ('computed' in node && node.computed === true)) isWhole = true;
      else names.add(property);
    });
  }
  return isWhole ? 'all' : names;
}

function readSpecifier(specifier: unknown, names: Set<string>, namespaces: Set<string>): void {
  if (!isNode(specifier)) return;
  const local = 'local' in specifier ? readName(specifier.local) : undefined;
  const imported = 'imported' in specifier ? readName(specifier.imported) : undefined;
  if (specifier.type === 'ImportNamespaceSpecifier' && local !== undefined) namespaces.add(local);
  else names.add(imported ?? 'default');
}
