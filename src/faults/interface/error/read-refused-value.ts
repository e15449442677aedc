/**
 * What React says of a value that it cannot send to a client component. Below its sentence stand the value's surroundings and, under the
 * value, carets: `{cart: {items: [1]}}` in production, `<... cart={{items: [1]}}>` in development. It never names the component.
 */
export type RefusedValue = {
  /** Both lines, as they are. */
  readonly shown: string;
  /** The prop, or the key of an object; undefined for a part of an array. */
  readonly prop: string | undefined;
};

const refusal = /(?:Client Component|Server Function|client reference)[\s\S]*?\n( *\S[^\n]*)\n( *\^+)(?:\n|$)/;

export function readRefusedValue(message: string): RefusedValue | undefined {
  const [, surroundings, carets] = refusal.exec(message) ?? [];
  if (surroundings === undefined || carets === undefined) return undefined;
  const before = surroundings.slice(0, carets.indexOf('^'));
  const prop = /([\w$-]+)(?:: |=\{?)$/.exec(before)?.[1];
  return { shown: `${surroundings}\n${carets}`, prop };
}
