import { everything, layers as mayImport } from './layers.mjs';
import { findRoomKind } from './server-rooms.mjs';

/** The house's own lint rules: who may import whom, and what keeps the server's modules on the server. */

/**
 * Modules that use Node, or stand in a server folder, but run where 'server-only' is refused: in Vite's own process, in
 * the build, in the `ssr` module graph, which is not the `react-server` one, in the browser too, in the terminal, or in
 * tests alone.
 */
const outsideTheServerGraph =
  /^flight-command\/|^flight\/|(?:^|\/)(?:vite|build-enhancer|bundled-licenses|list-functions|static-twins|ssr|login-problems|[\w-]+\.ssr)\.tsx?$|\.test\.tsx?$/;

/** A file by its layer: `recorder/queries.ts`, and `flight/row.ts` for what stands in the package. */
function toSourcePath(filename) {
  const normal = filename.replaceAll('\\', '/');
  const inPackage = /\/packages\/([\w-]+)\/src\/(.*)$/.exec(normal);
  if (inPackage) return `${inPackage[1]}/${inPackage[2]}`;
  const at = normal.lastIndexOf('/src/');
  return at === -1 ? undefined : normal.slice(at + '/src/'.length);
}

/** Of the package, only the door can be imported from outside: its other files have no layer's name there. */
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
  // A file that stands directly in src (styles, generated types) belongs to nobody.
  if (!(owner in mayImport) || !to.includes('/') || owner === findLayer(to)) return true;
  return mayImport[owner].some((entry) => entry === everything || to === entry || isInLayer(to, entry));
}

/** `recorder` stands for its own files, not for a layer inside it. */
function isInLayer(file, entry) {
  return file.startsWith(`${entry}/`) && (!(entry in mayImport) || findLayer(file) === entry);
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

export default { meta: { name: 'house' }, rules: { layers, 'server-only': serverOnly } };
