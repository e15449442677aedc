/** The order matters: nearly every browser also names the ones below it. */
const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome|Chromium)\//, 'Chrome'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
];

const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

function find(list: readonly (readonly [RegExp, string])[], text: string): string | undefined {
  return list.find(([pattern]) => pattern.test(text))?.[1];
}

/** A browser in words, from its `User-Agent`: "Firefox on Linux". Anybody can write it, as any other header. */
export function nameBrowser(userAgent: string): string {
  const browser = find(browsers, userAgent) ?? 'Unknown browser';
  const system = find(systems, userAgent);
  return system ? `${browser} on ${system}` : browser;
}
