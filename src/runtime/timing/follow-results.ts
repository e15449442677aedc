type Range = { readonly start: number; readonly end: number };

/** What is written of a function's values, by where it stands in the source. */
export type Values = {
  /** Each name that is read or set: no key of an object, no property. */
  readonly names: readonly (Range & { readonly name: string })[];
  /** What is set, and from what: `const [a] = await b`. */
  readonly settings: readonly { readonly to: Range; readonly from: Range }[];
};

function isIn(inner: Range, outer: Range): boolean {
  return inner.start >= outer.start && inner.end <= outer.end;
}

/**
 * Which awaits of a function use what another one gave, by the names that it got: `const user = await a(); await b(user.id)`. A name is
 * one thing in the whole function, so a loop that asks for the next page by the last one is seen, too, and in doubt a use is found.
 * What goes through an object that both can reach (`list.push(await a())`), or through a condition, is not.
 *
 * @returns for each of `awaits`, in their order
 */
export function findUses(awaits: readonly { readonly whole: Range; readonly argument: Range }[], values: Values) {
  const { names, settings } = values;
  const given = new Set<string>();
  const hasResult = (range: Range) =>
    awaits.some(({ whole }) => isIn(whole, range)) || names.some((name) => given.has(name.name) && isIn(name, range));
  for (let known = -1; known !== given.size;) {
    known = given.size;
    for (const { to, from } of settings) {
      if (!hasResult(from)) continue;
      for (const name of names) if (isIn(name, to)) given.add(name.name);
    }
  }
  return awaits.map(({ argument }) => hasResult(argument));
}
