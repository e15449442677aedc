import type { ReactNode } from 'react';

type CodeFrameProps = {
  /** The number of the first line, from 1. */
  readonly firstLine: number;
  /** Text, or coloured text. */
  readonly lines: readonly ReactNode[];
  /** The number of the line to point at. */
  readonly litLine?: number;
  readonly label: string;
};

/** A file ends with a newline. What follows it is not a line. */
function withoutBlankEnd(lines: readonly ReactNode[]): readonly ReactNode[] {
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Source code with line numbers. Selecting and copying the code leaves the numbers out. */
export function CodeFrame({ firstLine, lines, litLine, label }: CodeFrameProps) {
  return (
    <figure aria-label={label} className="overflow-hidden rounded-[5px] border border-line bg-sunken">
      <pre className="rounded-none border-0 bg-transparent px-0 py-2 leading-[1.65]">
        {withoutBlankEnd(lines).map((line, index) => {
          const number = firstLine + index;
          const isLit = number === litLine;
          return (
            <span
              key={number}
              className={`grid grid-cols-[3.25rem_minmax(0,1fr)] border-l-3 pr-3 ${isLit ? 'border-accent bg-lit' : 'border-transparent'}`}
            >
              <span className="pr-3 text-right text-quiet select-none">
                {isLit ? <span className="sr-only">here: </span> : null}
                {number}
              </span>
              <code>{line || ' '}</code>
            </span>
          );
        })}
      </pre>
    </figure>
  );
}
