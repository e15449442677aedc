/** Nearly every browser also names the ones below it, so the order counts. */
const browsers: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Edge', /\bEdgA?(?:iOS)?\/(\d{0,4})/],
  ['Opera', /\bOPR\/(\d{0,4})/],
  ['Samsung Internet', /\bSamsungBrowser\/(\d{0,4})/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d{0,4})/],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome|Chromium)\/(\d{0,4})/],
  ['Safari', /\bVersion\/(\d{0,4})[^\n]{0,40}\bSafari\//],
];

const systems: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(?:iPhone|iPad|iPod)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];

/** `Firefox 145`, from a `User-Agent`; empty where it names no browser. Anybody can write it: it only names what is shown. */
export function nameBrowser(userAgent: string): string {
  for (const [name, pattern] of browsers) {
    const version = pattern.exec(userAgent)?.[1];
    if (version !== undefined) return version === '' ? name : `${name} ${version}`;
  }
  return '';
}

/** `Firefox 145 on Linux`, for whoever looks for his own among several. */
export function nameDevice(userAgent: string): string {
  const browser = nameBrowser(userAgent) || (userAgent.startsWith('curl/') ? 'curl' : 'Unknown browser');
  const system = systems.find(([, pattern]) => pattern.test(userAgent))?.[0];
  return system === undefined ? browser : `${browser} on ${system}`;
}
