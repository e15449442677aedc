import path from 'node:path';

import { ensureInstalled, findNode, root } from './prepare.mjs';
import { runSteps } from './run.mjs';

/** Everything that needs no build and no browser: format, lint, types, unused code, unit tests. */
export function checkSteps(node) {
  const bin = (file) => path.join(root, 'node_modules', file);
  return [
    ['format', node, [bin('oxfmt/bin/oxfmt'), '--check']],
    ['lint', node, [bin('oxlint/bin/oxlint'), '--max-warnings=0']],
    ['types', node, [bin('typescript/bin/tsc'), '-p', root]],
    ['unused code', node, [bin('knip/bin/knip.js')]],
    ['unit tests', node, [path.join(root, 'scripts/vitest.mjs')]],
  ];
}

if (process.argv[1] === import.meta.filename) {
  ensureInstalled();
  await runSteps(checkSteps(findNode()), { cwd: root });
}
