import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The key of the module with the server action `name`, from a build's client code, where plugin-rsc writes an action as
 * `<key>#<name>`.
 * @param dist the build's folder
 * @throws when no client code calls the action
 */
export function readActionFile(dist: string, name: string): string {
  const assets = path.join(dist, 'public/assets');
  const called = new RegExp(`["'\`]([\\w-]+)#${name}["'\`]`);
  for (const file of readdirSync(assets)) {
    const key = called.exec(readFileSync(path.join(assets, file), 'utf8'))?.[1];
    if (key) return key;
  }
  throw new Error(`${assets} has no client code that calls ${name}`);
}
