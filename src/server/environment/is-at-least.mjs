/**
 * Compares versions, for the scripts that run before anything is installed as for the server: plain JavaScript, which every
 * Node runs.
 * @param {string} version `v24.22.1`; a pre-release (`24.22.1-rc.1`) is older than what it leads to
 * @param {string} floor as many parts as matter: `24.22`
 */
export function isAtLeast(version, floor) {
  const [numbers = '', preRelease] = version.replace(/^v/, '').split('-', 2);
  const parts = numbers.split('.').map(Number);
  for (const [index, least] of floor.split('.').map(Number).entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return preRelease === undefined;
}
