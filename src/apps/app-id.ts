import { ownApp } from '#src/store/own-app.ts';

/** As it stands in addresses: as long as a label of a host name may be at most, and no longer than a person types. */
const longestId = 40;
const idPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** This server's own, and what follows `/api/` in the address of the API for programs (server/http/addresses.ts). */
const taken: ReadonlySet<string> = new Set([ownApp, 'v1']);

/** Whether `text` can be the id of an app that is recorded. */
export function isAppId(text: string): boolean {
  return text.length <= longestId && !taken.has(text) && idPattern.test(text);
}

/** An id for an app of this name: `My Shop (2)` → `my-shop-2`. Undefined when the name has no letter or digit that an id may have. */
export function nameToId(name: string): string | undefined {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036F]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longestId)
    .replace(/^-+|-+$/g, '');
  return isAppId(plain) ? plain : undefined;
}
