import 'server-only';

/**
 * `Firefox 145`, `Safari 26`, from a `User-Agent`. Browsers name each other, so the order counts: the rarer name comes first. Empty
 * where none of them is in it. The text is a stranger's and only names what is shown.
 */
const browsers: readonly (readonly [string, RegExp])[] = [
  ['Edge', /\bEdgA?(?:iOS)?\/(\d{1,4})/],
  ['Opera', /\bOPR\/(\d{1,4})/],
  ['Samsung Internet', /\bSamsungBrowser\/(\d{1,4})/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d{1,4})/],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\/(\d{1,4})/],
  ['Safari', /\bVersion\/(\d{1,4})[^\n]{0,40}\bSafari\//],
];

export function nameBrowser(userAgent: string): string {
  for (const [name, pattern] of browsers) {
    const version = pattern.exec(userAgent)?.[1];
    if (version !== undefined) return `${name} ${version}`;
  }
  return '';
}
