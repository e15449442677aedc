/**
 * Makes a function from code that was put together from the list of columns, once, when the module is loaded. The code is made
 * of field names of our own alone; nothing from outside reaches it.
 *
 * It is for what touches every field of every flight. In a loop over names, `head[name]`, V8 looks each name up again:
 * 13 nanoseconds a field, where `head.path` takes less than one. Handing over an action took twice as long that way
 * (docs/decisions/011-recorder.md).
 *
 * @param code an expression: the function. Its type is what the caller names; nothing checks it.
 * @throws where Node was told not to make code from strings
 */
export function compileFields<Compiled>(code: string): Compiled {
  let compiled: Function;
  try {
    compiled = new Function(`'use strict'; return ${code}`);
  } catch (cause) {
    throw new Error(
      'The recorder compiles functions when it starts: run Node without --disallow-code-generation-from-strings',
      {
        cause,
      },
    );
  }
  return compiled();
}
