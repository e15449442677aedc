// Run by scripts/dev.mjs on the Node that serves: it can read the server's own modules.
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { readInstance } from '../src/store/instance-file.ts';
import * as instances from '../src/store/instance.ts';
import { chooseData } from './choose-place.mjs';
import { fail, root } from './prepare.mjs';

try {
  const given = process.env.FLIGHT_DATA || undefined;
  const { folder, line } = await chooseData({ usual: 'data', given, instances, readHolder: readInstance });
  process.env.FLIGHT_DATA = folder;
  if (line !== undefined) process.stderr.write(`${line}\n`);
} catch (error) {
  fail(error.message);
}
await import(pathToFileURL(path.join(root, 'node_modules/waku/cli.js')).href);
