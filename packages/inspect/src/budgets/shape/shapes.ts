/**
 * A shape is a line and the shapes inside it. Equal shapes are one object, so that comparing two costs nothing, and a payload
 * that uses one value a million times has one shape of it.
 */
export type Shape = { readonly id: number; readonly line: string; readonly inside: readonly Shape[] };

export type Shapes = {
  readonly make: (line: string, inside?: readonly Shape[]) => Shape;
  /** `name: ` before its line. */
  readonly label: (name: string, shape: Shape) => Shape;
  /** A list, a Map, a promise: `array of string`, or the shapes inside on lines of their own. */
  readonly wrap: (word: string, inside: readonly Shape[]) => Shape;
};

export function createShapes(): Shapes {
  const known = new Map<string, Shape>();
  function make(line: string, inside: readonly Shape[] = []): Shape {
    const key = `${inside.map(({ id }) => id).join(' ')} ${line}`;
    const shape = known.get(key) ?? { id: known.size, line, inside };
    known.set(key, shape);
    return shape;
  }
  return {
    make,
    label: (name, { line, inside }) => make(`${name}: ${line}`, inside),
    wrap: (word, inside) => {
      const [only] = inside;
      return only && inside.length === 1 ? make(`${word} of ${only.line}`, only.inside) : make(word, inside);
    },
  };
}

/** Equal neighbours are one: a list's length is its data. */
export function foldNeighbours(shapes: readonly Shape[]): Shape[] {
  return shapes.filter((shape, index) => shape !== shapes[index - 1]);
}

/** Each shape once, in the order of the first ones: the items of a list come in any order. */
export function foldList(shapes: readonly Shape[]): Shape[] {
  return [...new Set(shapes)];
}
