import path from 'node:path';

import { productPaths } from './product-paths.mjs';
import { packages, refuseImport } from './rooms.mjs';
import { findKind } from './server-rooms.mjs';

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
  /^packages\/(?!report\/)|(?:^|\/)(?:vite|build-enhancer|bundled-licenses|leave-for-mounting|precompressed-files|start-chunk|ssr|login-problems|read-experiments|good-files|own-folder|[\w-]+\.ssr)\.tsx?$|\.test\.tsx?$/;

const root = path.join(import.meta.dirname, '..');

/** Gives the path from the project's root. A file elsewhere counts as one of a project that has a `src`, too. */
function toProjectPath(filename) {
  const relative = path.relative(root, filename).replaceAll('\\', '/');
  return relative.startsWith('..') ? /.*\/(src\/.*)$/.exec(relative)?.[1] : relative;
}

function isSource(file) {
  return file !== undefined && /^(?:src|packages\/[\w-]+\/src)\//.test(file);
}

/** What a name leads to, from the project's root; undefined for what npm installs. */
function resolveImport(from, specifier) {
  const [, name, rest] = /^#([\w-]+)(?:\/(.*))?$/.exec(specifier) ?? [];
  if (name === 'src') return `src/${rest}`;
  if (packages.has(name)) return `packages/${name}/src/${rest ?? 'index.ts'}`;
  const [, installed] = /^@flight-recorder\/([\w-]+)/.exec(specifier) ?? [];
  if (installed !== undefined) return `packages/${installed}/dist/index.js`;
  return specifier.startsWith('.') ? path.posix.join(path.posix.dirname(from), specifier) : undefined;
}

/** The package that an import reaches into past its name; from anywhere, tests too. */
function findForcedPackage(from, to, specifier) {
  const [, name] = /^packages\/([\w-]+)\/(?:src|dist)\//.exec(to) ?? [];
  if (name === undefined || specifier.startsWith('#') || from.startsWith(`packages/${name}/`)) return undefined;
  // A package has no name for another package's door but a path; and React's own clients also read what the viewer shows.
  const isDoor = /^packages\/[\w-]+\/doors\//.test(from) && to.endsWith('/src/index.ts');
  return isDoor || from.startsWith('packages/flight/src/testing/differential/') ? undefined : name;
}

/** Tests and what serves them may look behind a door of a room. */
const ofTests = /\.test\.tsx?$|\/testing\//;

const roomRules = {
  create(context) {
    const from = toProjectPath(context.filename);
    if (from === undefined) return {};
    function check(node) {
      const specifier = node.source?.value;
      const to = typeof specifier === 'string' ? resolveImport(from, specifier) : undefined;
      if (to === undefined) return;
      const forced = findForcedPackage(from, to, specifier);
      if (forced) context.report({ node, message: `packages/${forced} has one door here: import #${forced}` });
      if (forced || !isSource(from) || ofTests.test(from)) return;
      const message = refuseImport(from, to);
      if (message !== undefined) context.report({ node, message });
    }
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    };
  },
};

/** Checks that a plain room has nothing that only a bundler knows. */
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
    const from = toProjectPath(context.filename);
    if (!isSource(from) || outsideTheServerGraph.test(from)) return {};
    const kind = findKind(from);
    return kind === 'plain' ? checkPlain(context) : checkServerOnly(context, kind === 'server');
  },
};

/** The modules that spell addresses and headers, so that nobody else does. */
const spellers = /^src\/server\/http\/(?:addresses|waku-addresses|flight-headers)\.ts$/;
const spelled = [
  [
    new RegExp(`^/(?:${productPaths.map((address) => address.replace('.', '\\.')).join('|')})(?:[/?#]|$)`),
    'src/server/http/addresses.ts',
  ],
  [/^\/(?:RSC|assets)\/|^x-waku-./, 'src/server/http/waku-addresses.ts'],
  [/^x-flight-./, 'src/server/http/flight-headers.ts'],
  [/^x-request-id$/, 'packages/report/src/sender/request-id-header.ts'],
];

const addresses = {
  create(context) {
    const from = toProjectPath(context.filename);
    if (!isSource(from) || from.startsWith('packages/') || spellers.test(from) || /\.test\.tsx?$/.test(from)) return {};
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
    const from = toProjectPath(context.filename);
    if (!isSource(from) || /\.test\.tsx?$|\/testing\/differential\//.test(from)) return {};
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
  rules: { rooms: roomRules, 'server-only': serverOnly, addresses, 'unknown-first': unknownFirst },
};
