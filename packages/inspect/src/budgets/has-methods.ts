/** What a value can do tells what it is where its class may be another copy's. */
export function hasMethods(value: object, names: readonly string[]): boolean {
  return names.every((name) => {
    const method: unknown = Reflect.get(value, name);
    return typeof method === 'function';
  });
}
