import { fillTemplate, type SourcePlace } from './fill-template.ts';

/** What a page is told that may link into the editor: in development alone, to who sits at the machine. */
export type Editor = {
  /** As `FLIGHT_EDITOR` gives it. */
  readonly template: string;
  /** Whole paths of the folders whose sources are served, the project's first. */
  readonly folders: readonly string[];
};

/** More than any path of a source. */
const longestName = 1_024;

/** As a stack names a file that has a space in its path. What is no address stays as it is. */
function decodePath(file: string): string {
  try {
    return decodeURI(file);
  } catch {
    return file;
  }
}

/** From a payload: any number. */
function toCount(value: number): number {
  return Number.isSafeInteger(value) && value > 0 ? value : 1;
}

/** With `/` between its parts and behind them. */
function toPrefix(folder: string): string {
  return `${folder.replaceAll('\\', '/').replace(/\/$/, '')}/`;
}

/**
 * The address that opens a place which a payload names: a whole path, one of Vite's (`/@fs/…`), or one from the project's folder. A
 * payload is a stranger's text. So the result is undefined for what is not within the folders, and for packages. The browser cannot know
 * whether there is such a file.
 */
export function findEditorAddress({ template, folders }: Editor, file: string, place: SourcePlace): string | undefined {
  const [project] = folders;
  if (project === undefined || file === '' || file.length > longestName) return undefined;
  const named = decodePath(file.replaceAll('\\', '/')).replace(/^\/@fs(?=\/)/, '');
  const parts = named.split('/');
  if (parts.some((part) => part === '..' || part === 'node_modules') || named.includes('\0')) return undefined;
  const isWhole = named.startsWith('/') || /^[A-Za-z][\w+.-]*:/.test(named);
  const whole = isWhole ? named : toPrefix(project) + named.replace(/^\.\//, '');
  if (!folders.some((folder) => whole.startsWith(toPrefix(folder)))) return undefined;
  return fillTemplate(template, whole, { line: toCount(place.line), column: toCount(place.column) });
}
