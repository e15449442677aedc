/**
 * Bundlers and test tools colour their messages for a terminal. In a record these codes are noise. This removes control
 * sequences (ECMA-48: colours, the cursor) and operating system commands (links, titles). Both expressions stop where
 * the next code begins, so hostile text costs no more than other text.
 */
const bell = '\u0007';
const escape = '\u001b';
const csi = '\u009b';
const osc = '\u009d';
const terminator = '\u009c';

export function stripTerminalCodes(text: string): string {
  if (!text.includes(escape) && !text.includes(csi) && !text.includes(osc)) return text;
  // Made inside the function: production's browser bundle does not use them, but would keep expressions made at load
  // time.
  const controlSequence = new RegExp(`(?:${escape}\\[|${csi})[\\d;:?]{0,64}[a-zA-Z]`, 'g');
  const systemCommand = new RegExp(
    `(?:${escape}\\]|${osc})[^${bell}${escape}${terminator}${osc}]{0,2048}(?:${bell}|${escape}\\\\|${terminator})`,
    'g',
  );
  return text.replace(controlSequence, '').replace(systemCommand, '');
}
