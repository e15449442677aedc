/**
 * Bundlers and test tools colour their messages for a terminal; in a record the codes are noise. Taken out are control
 * sequences (ECMA-48: colours, the cursor) and operating system commands (links, titles). Both expressions stop at the next
 * code's beginning, so hostile text costs no more than other text.
 */
const [bell, escape, csi, osc, terminator] = ['\u0007', '\u001b', '\u009b', '\u009d', '\u009c'];
const controlSequence = new RegExp(`(?:${escape}\\[|${csi})[\\d;:?]{0,64}[a-zA-Z]`, 'g');
const systemCommand = new RegExp(
  `(?:${escape}\\]|${osc})[^${bell}${escape}${terminator}${osc}]{0,2048}(?:${bell}|${escape}\\\\|${terminator})`,
  'g',
);

export function stripTerminalCodes(text: string): string {
  const mayHave = text.includes(escape) || text.includes(csi) || text.includes(osc);
  return mayHave ? text.replace(controlSequence, '').replace(systemCommand, '') : text;
}
