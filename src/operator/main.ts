import 'server-only';

import { runCommandLine } from './cli.ts';

process.umask(0o077);
process.exitCode = await runCommandLine(process.argv.slice(2));
