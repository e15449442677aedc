import type { ComponentProps, ReactNode } from 'react';

/** The head of a column. `column`: its width, by name in the style sheet. `title`: what it means. */
type Head = {
  readonly head: ReactNode;
  readonly column?: string;
  readonly title?: string;
  /** Only screen readers read it. */
  readonly isHidden?: boolean;
  /** Its cells are figures, at the end of the line. */
  readonly isNumber?: boolean;
  /** Of the head alone. */
  readonly headClass?: string;
};

/** A column of a table: its head, and what each row has there. */
export type Column<Row> = Head & {
  readonly cell: (row: Row) => ReactNode;
  /** The cell says whose row it is. */
  readonly isRowName?: boolean;
  /** Where rows fold, a cell has its column's name before it, unless its own words say what it is. */
  readonly isPlain?: boolean;
  /** Where rows fold, it stays on one line with the next cell. */
  readonly isBeside?: boolean;
  readonly className?: string | ((row: Row) => string);
};

function HeadCell({ head, column, title, isHidden, isNumber, headClass }: Head) {
  return (
    <th scope="col" data-column={column} title={title} className={headClass} data-number={isNumber}>
      {isHidden ? <span className="sr-only">{head}</span> : head}
    </th>
  );
}

/** The head of a table whose rows are in sections, or are more than cells. */
export function TableHead({ columns }: { readonly columns: readonly Head[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column, index) => (
          <HeadCell key={index} {...column} />
        ))}
      </tr>
    </thead>
  );
}

function Cell<Row>({ of, row }: { readonly of: Column<Row>; readonly row: Row }) {
  const { head, cell, isRowName, isHidden, isPlain, isBeside, isNumber, className } = of;
  const props = {
    className: typeof className === 'function' ? className(row) : className,
    'data-beside': isBeside,
    'data-number': isNumber,
  };
  if (isRowName) {
    return (
      <th scope="row" {...props}>
        {cell(row)}
      </th>
    );
  }
  const label = typeof head === 'string' && !isHidden && !isPlain ? head : undefined;
  return (
    <td data-label={label} {...props}>
      {cell(row)}
    </td>
  );
}

type TableProps<Row> = {
  /** Its name for screen readers, unless it has a caption. */
  readonly label?: string;
  readonly caption?: ReactNode;
  /** `fold`: on a narrow screen each row becomes a block. */
  readonly className?: string;
  readonly style?: ComponentProps<'table'>['style'];
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row, index: number) => string | number;
  /** Of the row's element. */
  readonly rowProps?: (row: Row) => ComponentProps<'tr'>;
};

/** Rows of one kind. Each column is named once: for the head, and for rows that fold. */
export function Table<Row>(props: TableProps<Row>) {
  const { label, caption, className = 'fold', style, columns, rows, keyOf, rowProps } = props;
  return (
    <table className={className || undefined} style={style} aria-label={label}>
      {caption === undefined ? null : <caption>{caption}</caption>}
      <TableHead columns={columns} />
      <tbody>
        {rows.map((row, index) => (
          <tr key={keyOf(row, index)} {...rowProps?.(row)}>
            {columns.map((column, place) => (
              <Cell key={place} of={column} row={row} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
