import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The headless shell first: it is Chromium without its window, and starts a page in two thirds of the time. */
const commands = ['chromium-headless-shell', 'google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser'];
const fixedPlaces = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** An installed Chrome or Chromium: `CHROMIUM_PATH`, else one on the PATH or in its installer's folder. */
export function findInstalledBrowser() {
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    if (!existsSync(named)) throw new Error(`CHROMIUM_PATH names ${named}, which does not exist`);
    return named;
  }
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const onPath = commands.flatMap((command) => folders.map((folder) => path.join(folder, command)));
  return [...onPath, ...fixedPlaces].find((file) => existsSync(file));
}

/** Playwright's own download, when it is there or can be downloaded. */
function findPlaywrightBrowser(playwrightCli, node) {
  try {
    execFileSync(node, [playwrightCli, 'install', 'chromium-headless-shell'], {
      stdio: ['ignore', 'ignore', 'ignore'],
      timeout: 300_000,
    });
    return 'playwright';
  } catch {
    // No network, or no build for this platform: the next way is tried.
    return undefined;
  }
}

/** @returns whether it is there now: an older Debian has no such package */
function installPackage(name) {
  const install = ['install', '-y', '-qq', '--no-install-recommends', name];
  const { status } = spawnSync('apt-get', install, { stdio: ['ignore', 'ignore', 'pipe'] });
  return status === 0;
}

/**
 * The headless shell where Debian has it: less to download than the browser with its window, and a journey takes two thirds of the time.
 * In CI also where another browser is there.
 */
function installDebianChromium(installed) {
  if (!existsSync('/etc/debian_version') || process.getuid?.() !== 0) return undefined;
  console.log('Installing Debian’s headless Chromium (about half a minute) …');
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
  if (!installPackage('chromium-headless-shell') && !installed) installPackage('chromium');
  return findInstalledBrowser();
}

/** What a browser's program says of itself. */
function readBrowserVersion(file) {
  try {
    return execFileSync(file, ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 20_000,
    }).trim();
  } catch (error) {
    throw new Error(`${file} does not say its version, so it cannot be run`, { cause: error });
  }
}

/**
 * The browser for the end-to-end tests: a path, or `playwright` for its own.
 * @throws an error that says what to install
 */
export function provideBrowser(root, node) {
  const installed = findInstalledBrowser();
  const playwrightCli = path.join(root, 'node_modules/playwright/cli.js');
  const isEnough = installed && (!process.env.CI || process.env.CHROMIUM_PATH || /headless/.test(installed));
  const provided = isEnough
    ? installed
    : (installDebianChromium(installed) ?? installed ?? findPlaywrightBrowser(playwrightCli, node));
  if (provided) {
    console.log(
      provided === 'playwright'
        ? 'Playwright’s own headless Chromium'
        : `${readBrowserVersion(provided)} (${provided})`,
    );
    return provided;
  }
  const system = existsSync('/etc/os-release')
    ? /^PRETTY_NAME="?(.*?)"?$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]
    : process.platform;
  throw new Error(
    `No browser for the end-to-end tests on ${system}: install Google Chrome or Chromium, or set CHROMIUM_PATH to one`,
  );
}
