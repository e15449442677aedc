import { everything, layers as mayImport } from './layers.mjs';

/** The house's own lint rules: who may import whom, and which modules must refuse to be bundled for the browser. */

/** Folders whose modules run on the server alone. */
const serverFolders = new Set(['middleware', 'store', 'reports', 'recorder', 'operator', 'host']);

/**
 * Modules that use Node, or stand in a server folder, but run where 'server-only' is refused: in Vite's own process, in
 * the build, in the `ssr` module graph, which is not the `react-server` one, in the browser too, in the
 * recorder's writing thread, which no bundler prepares in dev, in the terminal, or in tests alone.
 */
const outsideTheServerGraph =
  /^recorder\/writer\/|^flight-command\/|^flight\/|(?:^|\/)(?:vite|build-enhancer|bundled-licenses|list-functions|precompressed-files|ssr|request-context|login-problems|[\w-]+\.ssr)\.tsx?$|\.test\.tsx?$/;

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

function isAllowed(from, to) {
  const owner = from.split('/')[0] ?? '';
  const target = to.split('/')[0] ?? '';
  // A file that stands directly in src (styles, generated types) belongs to nobody.
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

export default { meta: { name: 'house' }, rules: { layers, 'server-only': serverOnly } };
