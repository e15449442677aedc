import type { Tell } from './move-tables.ts';

/** Says how far a move is: in a terminal one line that changes, else a line for each table. */
const everyMs = 200;

export function createTeller(out: NodeJS.WriteStream = process.stderr) {
  let toldAt = 0;
  function write(line: string, isDone: boolean): void {
    if (!out.isTTY) return void (isDone && out.write(`${line}\n`));
    out.write(`\r\u001B[K${line}${isDone ? '\n' : ''}`);
  }
  const tell: Tell = (step, table, rows, isDone) => {
    if (!isDone && performance.now() - toldAt < everyMs) return;
    toldAt = performance.now();
    write(`${step} ${table}: ${rows} rows`, isDone);
  };
  return {
    tell,
    /** To standard output: it is the result. */
    end(text: string): void {
      process.stdout.write(`${text}\n`);
    },
  };
}
