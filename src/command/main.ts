import { readFrom } from '#src/server/environment/read-setting.ts';
import { findOperatorProgram } from '#src/access/operator-command.ts';
import { findDefaultFolder } from '#src/store/prepare-data.ts';

import { runCommandLine } from './command-line.ts';
import { keepFilesPrivate } from './private-files.ts';
import { readVariable, setVariable, withVariables } from '#src/server/environment/variables.ts';

keepFilesPrivate();
// Each command finds the same folder, also those that read it as the server does.
if (!readVariable('FLIGHT_DATA')) setVariable('FLIGHT_DATA', findDefaultFolder());
// Not the reading that is kept: a command may still say where the data is.
const program = findOperatorProgram(readFrom(withVariables()), process.cwd());
process.exitCode = await runCommandLine(process.argv.slice(2), program);
