import type { ESTree } from 'vite';

export type AnyFunction = ESTree.Function | ESTree.ArrowFunctionExpression;

export type TopFunction = {
  readonly name: string;
  readonly isExported: boolean;
  readonly isDefault: boolean;
};

export function readDirectives(
  body: readonly (ESTree.Directive | ESTree.Statement)[],
): { readonly directive: string; readonly end: number }[] {
  return body.flatMap((statement) =>
    statement.type === 'ExpressionStatement' && typeof statement.directive === 'string'
      ? [{ directive: statement.directive, end: statement.end }]
      : [],
  );
}

function isFunction(node: { readonly type: string }): node is AnyFunction {
  return ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(node.type);
}

function readExported(program: ESTree.Program): Map<string, 'named' | 'default'> {
  const exported = new Map<string, 'named' | 'default'>();
  for (const statement of program.body) {
    if (statement.type !== 'ExportNamedDeclaration' || statement.source) continue;
    for (const { local, exported: as } of statement.specifiers) {
      if (local.type !== 'Identifier') continue;
      const isDefault = as.type === 'Identifier' && as.name === 'default';
      exported.set(local.name, isDefault ? 'default' : 'named');
    }
  }
  return exported;
}

/** The functions right in a module, declared or set. @param fileName what one is called that has no name of its own */
export function listTopFunctions(program: ESTree.Program, fileName: string): Map<AnyFunction, TopFunction> {
  const found = new Map<AnyFunction, TopFunction>();
  const exported = readExported(program);

  function add(node: AnyFunction, name: string, isExported: boolean): void {
    const as = exported.get(name);
    found.set(node, { name, isExported: isExported || as !== undefined, isDefault: as === 'default' });
  }

  function addDeclared(
    declaration: ESTree.Statement | ESTree.Declaration | ESTree.Directive,
    isExported: boolean,
  ): void {
    if (isFunction(declaration)) add(declaration, declaration.id?.name ?? fileName, isExported);
    if (declaration.type !== 'VariableDeclaration') return;
    for (const { id, init } of declaration.declarations) {
      if (init && isFunction(init) && id.type === 'Identifier') add(init, id.name, isExported);
    }
  }

  for (const statement of program.body) {
    if (statement.type === 'ExportNamedDeclaration') {
      if (statement.declaration) addDeclared(statement.declaration, true);
    } else if (statement.type === 'ExportDefaultDeclaration') {
      const { declaration } = statement;
      if (isFunction(declaration)) {
        found.set(declaration, { name: declaration.id?.name ?? fileName, isExported: true, isDefault: true });
      }
    } else addDeclared(statement, false);
  }
  return found;
}
