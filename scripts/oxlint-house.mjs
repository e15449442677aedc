import path from 'node:path';

import { everything, layers as mayImport } from './layers.mjs';
import { productPaths } from './product-paths.mjs';
import { findRoomKind } from './server-rooms.mjs';

/**
 * Our own lint rules: who may import whom, which modules must not be bundled for the browser, who may spell an address, and
 * that no `any` comes in unseen.
 */

/**
 * Modules that use Node, or stand in a server folder, but run where 'server-only' is refused: in Vite's own process; in
 * the build; in the `ssr` module graph, which is not the `react-server` one; also in the browser; in the terminal; or
 * only in tests.
 */
const outsideTheServerGraph =
  /^flight-command\/|^flight\/|(?:^|\/)(?:vite|build-enhancer|bundled-licenses|list-functions|leave-for-mounting|precompressed-files|ssr|login-problems|read-experiments|good-files|own-folder|[\w-]+\.ssr)\.tsx?$|\.test\.tsx?$/;

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

/** The layer that a file belongs to: the longest that its path begins with. */
function findLayer(file) {
  const found = Object.keys(mayImport).filter((layer) => file === layer || file.startsWith(`${layer}/`));
  return found.sort((a, b) => b.length - a.length)[0] ?? file.split('/')[0];
}

function isAllowed(from, to) {
  const owner = findLayer(from);
  // A file directly in src (styles, generated types) belongs to no layer.
  if (!(owner in mayImport) || !to.includes('/') || owner === findLayer(to)) return true;
  return mayImport[owner].some((entry) => entry === everything || to === entry || isInLayer(to, entry));
}

/** `recorder` stands for its own files, not for a layer inside it. */
function isInLayer(file, entry) {
  return file.startsWith(`${entry}/`) && (!(entry in mayImport) || findLayer(file) === entry);
}

/** The package whose files an import reaches past its door; from anywhere, tests too. */
function findForcedPackage(filename, specifier) {
  const named = /^@flight-recorder\/([\w-]+)/.exec(specifier);
  if (named) return named[1];
  if (!specifier.startsWith('.')) return undefined;
  const target = path.resolve(path.dirname(filename), specifier);
  const [, home, name] = /^(.*\/packages\/([\w-]+))\/(?:src|dist)\//.exec(target.replaceAll('\\', '/')) ?? [];
  return home === undefined || filename.replaceAll('\\', '/').startsWith(`${home}/`) ? undefined : name;
}

const layers = {
  create(context) {
    const from = toSourcePath(context.filename);
    const hasLayer = from && !/\.test\.tsx?$/.test(from);
    function check(node) {
      const specifier = node.source?.value;
      if (typeof specifier !== 'string') return;
      const forced = findForcedPackage(context.filename, specifier);
      if (forced) context.report({ node, message: `packages/${forced} has one door here: import #${forced}` });
      if (!hasLayer || forced) return;
      const to = resolveImport(from, specifier);
      if (to && !isAllowed(from, to)) {
        context.report({
          node,
          message: `${findLayer(from)} may not import ${to}; see the layer table in AGENTS.md`,
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

/** Of a plain room: nothing that only a bundler knows. */
function checkPlain(context) {
  return {
    ImportDeclaration(node) {
      if (node.source.value !== 'server-only') return;
      context.report({ node, message: "this room runs in plain Node, which cannot load 'server-only'" });
    },
    MemberExpression(node) {
      if (node.object.type !== 'MetaProperty' || node.property.name !== 'env') return;
      context.report({ node, message: 'this room runs in plain Node, which has no import.meta.env: take an option' });
    },
  };
}

function checkServerOnly(context, isServerRoom) {
  return {
    Program(program) {
      const imports = program.body.filter((node) => node.type === 'ImportDeclaration');
      const valueImports = imports.filter((node) => node.importKind !== 'type');
      const usesNode = valueImports.some((node) => node.source.value.startsWith('node:'));
      const hasCode = program.body.some(
        (node) => !/^(?:ImportDeclaration|TS.*)$/.test(node.type) && node.declaration?.type?.startsWith('TS') !== true,
      );
      if (!usesNode && !(isServerRoom && hasCode)) return;
      if (imports[0]?.source.value === 'server-only') return;
      context.report({ node: program, message: "a server module begins with import 'server-only'" });
    },
  };
}

const serverOnly = {
  create(context) {
    const from = toSourcePath(context.filename);
    if (!from || outsideTheServerGraph.test(from)) return {};
    const kind = findRoomKind(from);
    return kind === 'plain' ? checkPlain(context) : checkServerOnly(context, kind === 'server-only');
  },
};

/** The modules that spell addresses and headers, so that nobody else does. */
const spellers = /^http\/(?:addresses|waku-addresses|flight-headers)\.ts$/;
const spelled = [
  [
    new RegExp(`^/(?:${productPaths.map((address) => address.replace('.', '\\.')).join('|')})(?:[/?#]|$)`),
    'http/addresses.ts',
  ],
  [/^\/(?:RSC|assets)\/|^x-waku-./, 'http/waku-addresses.ts'],
  [/^x-flight-.|^x-request-id$/, 'http/flight-headers.ts'],
];

const addresses = {
  create(context) {
    const from = toSourcePath(context.filename);
    if (!from || from.startsWith('flight/') || spellers.test(from) || /\.test\.tsx?$/.test(from)) return {};
    function check(node, text) {
      // A type names a page's file (`PageProps<'/flights/[id]'>`), an import a module.
      if (typeof text !== 'string' || /^TS|^Import|^Export/.test(node.parent?.type ?? '')) return;
      const [, owner] = spelled.find(([pattern]) => pattern.test(text)) ?? [];
      if (owner) context.report({ node, message: `${text} is spelled in ${owner}: import it` });
    }
    return {
      Literal: (node) => check(node, node.value),
      // Its own beginning, and what follows a value: an origin, say.
      TemplateLiteral: (node) => node.quasis.forEach((quasi) => check(node, quasi.value.cooked)),
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

export default {
  meta: { name: 'house' },
  rules: { layers, 'server-only': serverOnly, addresses, 'unknown-first': unknownFirst },
};
