import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The rooms of the house and their rules. A room is a folder of `src`, and its rule is `room.json` at its top: what it is for,
 * which rooms and packages it may import, and its door: the files that others may import (`folder/*`: all files right in it). The
 * rule of a package is its package.json: `imports` names the packages that it may import, `exports` is its door. What is not
 * written there is refused. The lint rule `house/rooms` keeps this, and AGENTS.md shows it (rooms.test.mjs compares them).
 *
 * A room also says what its code runs in: `plain` names folders that run in plain Node, too, `server` those of the server alone;
 * the longest path counts. Folders named `interface` and `actions` are for all environments, `middleware` is the server's.
 *
 * `inner` puts folders of a room in an order: each may import those after it, and none before it.
 *
 * @typedef {{ for: string, imports: string[], door: string[], inner: string[], plain: string[], server: string[], browser: string[] }} Room
 */
const root = path.join(import.meta.dirname, '..');

function readJson(file) {
  return JSON.parse(readFileSync(path.join(root, file), 'utf8'));
}

function listFolders(folder) {
  return readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}

function readRoom(name) {
  return { inner: [], plain: [], server: [], browser: [], door: [], ...readJson(`src/${name}/room.json`) };
}

function readPackage(name) {
  const { description, imports = {}, exports = {} } = readJson(`packages/${name}/package.json`);
  const door = Object.values(exports).flatMap((target) => (typeof target === 'string' ? [target] : []));
  return {
    for: description,
    imports: Object.keys(imports).map((imported) => imported.slice(1)),
    // What is built for npm has its types and its code in dist; here its door is the source.
    door: door.some((file) => file.startsWith('./src/')) ? door.map((file) => file.slice(6)) : ['index.ts'],
    inner: [],
    plain: [],
    server: [],
    browser: [],
  };
}

/** @type {ReadonlyMap<string, Room>} by name, such as `faults` */
export const rooms = new Map(
  listFolders('src')
    .filter((name) => existsSync(path.join(root, `src/${name}/room.json`)))
    .map((name) => [name, readRoom(name)]),
);

/** @type {ReadonlyMap<string, Room>} by name, such as `flight` */
export const packages = new Map(
  listFolders('packages')
    .filter((name) => existsSync(path.join(root, `packages/${name}/src`)))
    .map((name) => [name, readPackage(name)]),
);

function findRule(name) {
  return rooms.get(name) ?? packages.get(name);
}

/**
 * @param {string} file from the project's root
 * @returns {{ room: string, file: string } | undefined} its room or package and its path there; of a file right in `src`, nothing
 */
export function findRoom(file) {
  const [, room, inside] = /^(?:src|packages)\/([\w-]+)\/(.*)$/.exec(file) ?? [];
  if (room === undefined || inside === undefined) return undefined;
  return file.startsWith('src/') ? { room, file: inside } : { room, file: inside.replace(/^src\//, '') };
}

function isInDoor(door, file) {
  return door.some(
    (entry) => entry === file || (entry.endsWith('/*') && path.posix.dirname(file) === entry.slice(0, -2)),
  );
}

function refuseInner(rule, from, to) {
  const [above, below] = [from, to].map((file) => rule.inner.indexOf(file.split('/', 1)[0]));
  if (above < 0 || below < 0 || above <= below) return undefined;
  return `${rule.inner[above]} stands below ${rule.inner[below]} (room.json, "inner"), and may not import it`;
}

/**
 * @param {string} from a file from the project's root
 * @param {string} to another one
 * @returns {string | undefined} why `from` may not import `to`
 */
export function refuseImport(from, to) {
  const target = findRoom(to);
  const owner = findRoom(from);
  if (!target) return undefined;
  const rule = findRule(target.room);
  if (owner?.room === target.room) return rule && refuseInner(rule, owner.file, target.file);
  if (!rule) return `${target.room} has no room.json at its top: it says what the room is for`;
  // What composes the server, right in `src`, may import every room.
  if (owner && findRule(owner.room)?.imports.includes(target.room) !== true) {
    return `${owner.room} may not import ${target.room}; its rule is at its top`;
  }
  if (!isInDoor(rule.door, target.file)) return `${target.file} is behind the door of ${target.room}`;
  return undefined;
}

/** The rooms and packages, each after all that it may import; a circle is an error. */
export function sortRooms() {
  const sorted = [];
  function add(name, way) {
    if (way.includes(name)) throw new Error(`rooms import each other: ${[...way, name].join(' → ')}`);
    if (sorted.includes(name)) return;
    for (const imported of findRule(name)?.imports ?? []) add(imported, [...way, name]);
    sorted.push(name);
  }
  for (const name of [...rooms.keys(), ...packages.keys()]) add(name, []);
  return sorted;
}

/** The table of AGENTS.md, from the top down. */
export function printRooms() {
  const order = sortRooms().toReversed();
  return order.map((name) => {
    const { for: purpose, imports } = findRule(name) ?? { for: '', imports: [] };
    const named = [...imports].sort((a, b) => order.indexOf(a) - order.indexOf(b)).map((room) => `\`${room}\``);
    return {
      name: `\`${packages.has(name) ? `packages/${name}` : name}\``,
      purpose,
      imports: named.join(', ') || 'nothing',
    };
  });
}
