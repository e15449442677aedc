import { everything, layers as mayImport } from './layers.mjs';

/**
 * Our own lint rules: who may import whom, which modules must not be bundled for the browser, and that no `any` comes in
 * unseen.
 */

/** Folders whose modules run only on the server. */
const serverFolders = new Set(['middleware', 'store', 'reports', 'recorder', 'operator', 'host']);

/**
 * Modules that use Node, or stand in a server folder, but run where 'server-only' is refused: in Vite's own process; in
 * the build; in the `ssr` module graph, which is not the `react-server` one; also in the browser; in the recorder's
 * writing thread, which no bundler prepares in dev; in the terminal; or only in tests.
 */
const outsideTheServerGraph =
  /^recorder\/writer\/|^flight-command\/|^flight\/|(?:^|\/)(?:vite|build-enhancer|bundled-licenses|list-functions|static-twins|ssr|request-context|login-problems|[\w-]+\.ssr)\.tsx?$|\.test\.tsx?$/;

/** A file's path with its layer: `recorder/queries.ts`, and `flight/row.ts` for a file of the package. */
function toSourcePath(filename) {
  const normal = filename.replaceAll('\\', '/');
  const inPackage = /\/packages\/([\w-]+)\/src\/(.*)$/.exec(normal);
  if (inPackage) return `${inPackage[1]}/${inPackage[2]}`;
  const at = normal.lastIndexOf('/src/');
  return at === -1 ? undefined : normal.slice(at + '/src/'.length);
}

/** From outside, only the package's door can be imported. The package's other files have no layer name there. */
function resolveImport(from, specifier) {
  if (specifier === '#flight') return 'flight/index.ts';
  if (specifier.startsWith('#src/')) return specifier.slice('#src/'.length);
  if (!specifier.startsWith('.')) return undefined;
  const parts = from.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}

function isAllowed(from, to) {
  const owner = from.split('/')[0] ?? '';
  const target = to.split('/')[0] ?? '';
  // A file directly in src (styles, generated types) belongs to no layer.
  if (!(owner in mayImport) || !to.includes('/') || owner === target) return true;
  return mayImport[owner].some((entry) => entry === everything || to === entry || to.startsWith(`${entry}/`));
}

const layers = {
  create(context) {
    const from = toSourcePath(context.filename);
    if (!from || /\.test\.tsx?$/.test(from)) return {};
    function check(node) {
      const specifier = node.source?.value;
      if (typeof specifier !== 'string') return;
      const to = resolveImport(from, specifier);
      if (to && !isAllowed(from, to)) {
        context.report({
          node,
          message: `${from.split('/')[0]} may not import ${to}; see the layer table in AGENTS.md`,
        });
      }
    }
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    };
  },
};

const serverOnly = {
  create(context) {
    const from = toSourcePath(context.filename);
    if (!from || outsideTheServerGraph.test(from)) return {};
    return {
      Program(program) {
        const imports = program.body.filter((node) => node.type === 'ImportDeclaration');
        const valueImports = imports.filter((node) => node.importKind !== 'type');
        const usesNode = valueImports.some((node) => node.source.value.startsWith('node:'));
        const isServerFolder = serverFolders.has(from.split('/')[0] ?? '');
        const hasCode = program.body.some(
          (node) =>
            !/^(?:ImportDeclaration|TS.*)$/.test(node.type) && node.declaration?.type?.startsWith('TS') !== true,
        );
        if (!usesNode && !(isServerFolder && hasCode)) return;
        if (imports[0]?.source.value === 'server-only') return;
        context.report({ node: program, message: "a server module begins with import 'server-only'" });
      },
    };
  },
};

/** `JSON.parse(…)`, `Reflect.get(…)` and a response's `.json()` have the type `any`. */
function givesAny({ callee, arguments: values }) {
  if (callee.type !== 'MemberExpression' || callee.computed) return false;
  const { object, property } = callee;
  if (object.type === 'Identifier' && object.name === 'JSON') return property.name === 'parse';
  if (object.type === 'Identifier' && object.name === 'Reflect') return property.name === 'get';
  return property.name === 'json' && values.length === 0;
}

const functionTypes = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

function isUnknown(annotation) {
  const type = annotation?.typeAnnotation;
  if (type?.type === 'TSUnknownKeyword') return true;
  if (type?.type !== 'TSTypeReference' || type.typeName.name !== 'Promise') return false;
  return (type.typeArguments ?? type.typeParameters)?.params[0]?.type === 'TSUnknownKeyword';
}

/** Whether the variable that `assignment` writes was declared as `unknown`, in one of the blocks around it. */
function isDeclaredUnknown({ left, parent }) {
  if (left.type !== 'Identifier') return false;
  for (let around = parent; around; around = around.parent) {
    for (const statement of Array.isArray(around.body) ? around.body : []) {
      if (statement.type !== 'VariableDeclaration') continue;
      const found = statement.declarations.find(({ id }) => id.name === left.name);
      if (found) return isUnknown(found.id.typeAnnotation);
    }
  }
  return false;
}

/** Whether the value becomes `unknown` where it arises, or is only compared or thrown away. */
function becomesUnknown(call) {
  let value = call;
  while (['AwaitExpression', 'ConditionalExpression', 'LogicalExpression'].includes(value.parent.type)) {
    value = value.parent;
  }
  const { parent } = value;
  switch (parent.type) {
    case 'VariableDeclarator':
      return isUnknown(parent.id.typeAnnotation);
    case 'AssignmentExpression':
      return isDeclaredUnknown(parent);
    case 'ReturnStatement': {
      let around = parent;
      while (around && !functionTypes.has(around.type)) around = around.parent;
      return isUnknown(around?.returnType);
    }
    case 'ArrowFunctionExpression':
      return isUnknown(parent.returnType);
    default:
      return parent.type === 'BinaryExpression' || parent.type === 'ExpressionStatement';
  }
}

const unknownFirst = {
  create(context) {
    const from = toSourcePath(context.filename);
    if (!from || /\.test\.tsx?$|^flight\/differential\//.test(from)) return {};
    return {
      CallExpression(node) {
        if (node.callee.type === 'MemberExpression' && node.callee.property.name === '$castTo') {
          context.report({ node, message: '$castTo is a cast: let the columns say their types' });
        } else if (givesAny(node) && !becomesUnknown(node)) {
          context.report({ node, message: 'this is any: give it to a variable of the type unknown, then narrow it' });
        }
      },
    };
  },
};

export default { meta: { name: 'house' }, rules: { layers, 'server-only': serverOnly, 'unknown-first': unknownFirst } };
