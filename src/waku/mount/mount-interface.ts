import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

import { templateFile } from '#src/flights/one-file-template/template-file.ts';
import { compressFiles, precompressedFolder } from '#src/server/adapter/precompressed-files.ts';
import { isAlive } from '#src/store/is-alive.ts';

import { checkMountPath, mountToken } from './mount-path.ts';

/**
 * Makes a copy of the interface for one mount path, in three steps: the token that stands for the path is replaced in all texts
 * and names, the pages are prerendered in the copy, and what browsers load is compressed anew.
 *
 * The copy becomes `to` by one renaming, when it is complete and says of what it was made: after a crash there is either the
 * whole copy, or none. A copy of the same build for the same path is left as it is.
 */
export type MountOptions = {
  /** The build to be mounted: the package's `dist/mounted`, beside its `dist/server`. */
  readonly from: string;
  /** Becomes the copy. It is replaced when it was made of another build or for another mount path. */
  readonly to: string;
  /** Whole, with the app's `basePath`: `/shop/_flight`. */
  readonly mount: string;
};

/** Of a build: a hash of its sources, which scripts/prepare.mjs writes. Of a copy: that of the build, and the path. */
const stampFile = 'build-stamp';

/** Half a second costs the person who waits for the build, and the highest quality would take four times that for a tenth less. */
const brotliQuality = 7;

/** Prerendering takes half a second. The limit is for a machine that is busy with the app's own build. */
const prerenderLimitMs = 60_000;

function readStamp(folder: string): string | undefined {
  const file = path.join(folder, stampFile);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/** Text or not, every byte that is not the token's stays as it is. */
function replaceToken(bytes: Buffer, folder: string): Buffer {
  const token = mountToken.slice(1);
  return bytes.includes(token) ? Buffer.from(bytes.toString('latin1').replaceAll(token, folder), 'latin1') : bytes;
}

function copyFiles(from: string, to: string, mount: string): void {
  const folder = mount.slice(1);
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const copy = path.join(to, path.relative(from, file).replaceAll(mountToken.slice(1), folder));
    mkdirSync(path.dirname(copy), { recursive: true });
    writeFileSync(copy, replaceToken(readFileSync(file), folder));
  }
}

/** Encrypts what an action closes over. The build's own is in everybody's package. */
function renewKey(folder: string): void {
  const file = path.join(folder, 'server/__vite_rsc_encryption_key.js');
  const renewed = readFileSync(file, 'utf8').replace(/"[\w+/=]{44}"/, `"${randomBytes(32).toString('base64')}"`);
  writeFileSync(file, renewed);
}

/** Prerenders in a process of its own: what a page imports would stay in this one, and its environment is not the interface's. */
async function prerender(folder: string): Promise<void> {
  const child = spawn(process.execPath, [path.join(folder, 'prerender.js')], {
    env: { NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: prerenderLimitMs,
  });
  let told = '';
  child.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status, signal) => resolve(status ?? signal));
  });
  if (code !== 0) throw new Error(`the interface's pages could not be prerendered (${code}): ${told.slice(-2000)}`);
}

/** Removes what a process left that ended half-way. */
function removeLeftovers(to: string): void {
  const parent = path.dirname(to);
  if (!existsSync(parent)) return;
  for (const name of readdirSync(parent)) {
    const [, pid] = /^\.(\d+)-\w+-(?:new|old)$/.exec(name.slice(path.basename(to).length)) ?? [];
    if (name.startsWith(path.basename(to)) && pid !== undefined && !isAlive(Number(pid))) {
      rmSync(path.join(parent, name), { recursive: true, force: true });
    }
  }
}

/** @returns false when another process has put its copy there meanwhile */
function moveTo(made: string, to: string): boolean {
  const old = made.replace(/new$/, 'old');
  if (existsSync(to)) renameSync(to, old);
  try {
    renameSync(made, to);
    return true;
  } catch (error) {
    if (!existsSync(to)) throw error;
    return false;
  } finally {
    rmSync(old, { recursive: true, force: true });
  }
}

/**
 * The server is then started with `node <to>/serve-node.js`, from any folder; the copy may be moved before.
 * @throws with one line when the mount path cannot be one, there is no build, or the copy could not be made
 */
export async function mountInterface({ from, to, mount }: MountOptions): Promise<void> {
  checkMountPath(mount);
  const build = readStamp(from);
  if (build === undefined) throw new Error(`there is no build of the interface in ${from}`);
  const stamp = createHash('sha256').update(`${build} ${mount}`).digest('hex');
  if (readStamp(to) === stamp) return;
  removeLeftovers(to);
  const made = `${to}.${process.pid}-${randomBytes(4).toString('hex')}-new`;
  try {
    copyFiles(from, made, mount);
    rmSync(path.join(made, stampFile));
    // One for both builds: it is the largest file of them after the server itself.
    copyFileSync(path.join(from, '../server', templateFile), path.join(made, 'server', templateFile));
    renewKey(made);
    await prerender(made);
    await compressFiles(path.join(made, 'public'), path.join(made, precompressedFolder), brotliQuality);
    writeFileSync(path.join(made, stampFile), `${stamp}\n`);
    moveTo(made, to);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}
