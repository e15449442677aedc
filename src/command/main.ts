import { readFrom } from '#src/environment/read-setting.ts';
import { findOperatorProgram } from '#src/operator/operator-command.ts';

import { runCommandLine } from './command-line.ts';
import { keepFilesPrivate } from './private-files.ts';
import { withVariables } from './variables.ts';

keepFilesPrivate();
// Not the reading that is kept: a command may still say where the data is.
const program = findOperatorProgram(readFrom(withVariables()), process.cwd());
process.exitCode = await runCommandLine(process.argv.slice(2), program);
