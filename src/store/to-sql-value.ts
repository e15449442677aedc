/** What both engines take for a parameter. */
export type SqlValue = string | number | bigint | Uint8Array | null;

/**
 * Neither driver takes all of JavaScript's values, and their errors for an object are late and unclear.
 * @param database its name, for the error
 * @throws TypeError for what cannot be stored
 */
export function toSqlValue(value: unknown, index: number, database: string): SqlValue {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
      return value;
    case 'boolean':
      return value ? 1 : 0;
    default:
      if (value === null || value instanceof Uint8Array) return value;
      throw new TypeError(`SQL parameter ${index + 1} is ${typeof value}, which ${database} cannot store`);
  }
}
