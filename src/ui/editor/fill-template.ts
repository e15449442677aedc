export type SourcePlace = { readonly line: number; readonly column: number };

/** A path in an address: with `/`, and nothing in it that an address means something by. A drive keeps its colon. */
function encodePath(file: string): string {
  const encoded = file.split(/[\\/]/).map(encodeURIComponent).join('/');
  return encoded.replace(/^([A-Za-z])%3A/, '$1:');
}

/** After a host, and after `//` where it is left out, a path begins with one `/`, also that of a drive. Elsewhere it is as it is. */
function joinPath(slashes: string, whole: string): string {
  if (slashes === '') return whole;
  return `${slashes === '/' ? '' : slashes}/${whole.replace(/^\//, '')}`;
}

/** @param template as `FLIGHT_EDITOR` gives it */
export function fillTemplate(template: string, file: string, { line, column }: SourcePlace): string {
  const whole = encodePath(file);
  return template
    .replaceAll(/(\/*)\{path\}/g, (_, slashes: string) => joinPath(slashes, whole))
    .replaceAll('{line}', String(line))
    .replaceAll('{column}', String(column));
}
