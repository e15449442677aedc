import { isRecord } from '#boundary';

import { isNode, type Node, readName } from './walk-program.ts';

/**
 * The door of a package names all that others may use. What a module takes through it is taken from where it stands: else every module
 * behind the door would be packed, and the plugin needs half of the decoder.
 */
type Taken = {
  /** As it is named where it stands. */
  readonly name: string;
  /** As the door names that module. */
  readonly from: string;
};
/** By the name under which the door gives it. */
export type Door = ReadonlyMap<string, Taken>;

function listSpecifiers(node: Node): readonly unknown[] {
  return 'specifiers' in node && Array.isArray(node.specifiers) ? node.specifiers : [];
}

function readField(node: unknown, field: 'local' | 'exported' | 'imported'): string | undefined {
  return isRecord(node) ? readName(node[field]) : undefined;
}

/** @param body the statements of the door. What it gives as a whole (`export *`) is not in it. */
export function readDoor(body: readonly unknown[]): Door {
  const door = new Map<string, Taken>();
  for (const statement of body) {
    if (!isNode(statement) || statement.type !== 'ExportNamedDeclaration' || !('source' in statement)) continue;
    const { source } = statement;
    const from = isNode(source) && 'value' in source ? source.value : undefined;
    for (const specifier of typeof from === 'string' ? listSpecifiers(statement) : []) {
      const [name, exported] = [readField(specifier, 'local'), readField(specifier, 'exported')];
      if (typeof from === 'string' && name !== undefined && exported !== undefined) door.set(exported, { name, from });
    }
  }
  return door;
}

export type DirectImport = { readonly from: string; readonly names: readonly string[] };

/** @returns undefined where it takes the door as a whole, or what the door does not name: then it stays as it is */
export function takeThroughDoor(declaration: Node, door: Door): readonly DirectImport[] | undefined {
  const byModule = new Map<string, string[]>();
  for (const specifier of listSpecifiers(declaration)) {
    const [imported, local] = [readField(specifier, 'imported'), readField(specifier, 'local')];
    const taken = imported === undefined ? undefined : door.get(imported);
    if (!taken || local === undefined) return undefined;
    const names = byModule.get(taken.from) ?? [];
    byModule.set(taken.from, [...names, taken.name === local ? local : `${taken.name} as ${local}`]);
  }
  return Array.from(byModule, ([from, names]) => ({ from, names }));
}
