import 'server-only';

/**
 * The order of releases that are named by a semantic version: `1.4.2`, `v1.4.2`, `shop@1.4.2`, `1.5.0-rc.1+b7`. Precedence is that of
 * https://semver.org/#spec-item-11 : a version before its release is older than it, and what is behind a plus does not count. Any other
 * name, `1.4`, a date or a commit, has no place in the order.
 */
export type Version = {
  /** `shop@`. Versions of two packages have no order. */
  readonly stream: string;
  readonly numbers: readonly string[];
  /** What is behind the hyphen. Empty: the release itself. */
  readonly before: readonly string[];
};

const number = '(0|[1-9]\\d*)';
const semver = new RegExp(`^v?${number}\\.${number}\\.${number}(?:-([\\da-z.-]+))?(?:\\+[\\da-z.-]+)?$`, 'i');
/** No empty part, and no number that begins with a zero. */
const isPart = (part: string) => part !== '' && !/^0\d+$/.test(part);

export function parseVersion(release: string): Version | undefined {
  const start = release.lastIndexOf('@') + 1;
  const [, major = '', minor = '', patch = '', behind] = semver.exec(release.slice(start)) ?? [];
  const before = behind?.split('.') ?? [];
  if (major === '' || !before.every(isPart)) return undefined;
  return { stream: release.slice(0, start), numbers: [major, minor, patch], before };
}

/** Compares whole numbers of any length, written without a leading zero. */
function compareNumbers(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

function comparePart(a: string | undefined, b: string | undefined): number {
  // A larger set of parts comes later.
  if (a === undefined || b === undefined) return (a === undefined ? 0 : 1) - (b === undefined ? 0 : 1);
  const [isNumberA, isNumberB] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumberA && isNumberB) return compareNumbers(a, b);
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Below zero where `a` is the older of two versions of one package. */
export function compareVersions(a: Version, b: Version): number {
  for (const [index, one] of a.numbers.entries()) {
    const order = compareNumbers(one, b.numbers[index] ?? '');
    if (order !== 0) return order;
  }
  if (a.before.length === 0 || b.before.length === 0) return b.before.length - a.before.length;
  for (let index = 0; index < Math.max(a.before.length, b.before.length); index += 1) {
    const order = comparePart(a.before[index], b.before[index]);
    if (order !== 0) return order;
  }
  return 0;
}
