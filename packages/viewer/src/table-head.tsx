import type { ReactElement } from 'react';

/** `column`: its width, by name in the style sheet. `title`: what it means. */
type Described = {
  readonly name: string;
  readonly column?: string;
  readonly title?: string;
  readonly className?: string;
};

/** A column by its name. `number`: its cells are figures, at the end of the line. `hidden`: only screen readers read the name. */
type Column =
  | string
  | ReactElement
  | Described
  | { readonly number: string | ReactElement }
  | { readonly hidden: string };

function isDescribed(column: Column): column is Described {
  return typeof column === 'object' && 'name' in column;
}

function Heading({ column }: { readonly column: Column }) {
  if (isDescribed(column)) {
    const { name, column: width, title, className } = column;
    return (
      <th scope="col" data-column={width} title={title} className={className}>
        {name}
      </th>
    );
  }
  if (typeof column === 'object' && 'number' in column) {
    return (
      <th scope="col" data-number>
        {column.number}
      </th>
    );
  }
  const title =
    typeof column === 'object' && 'hidden' in column ? <span className="sr-only">{column.hidden}</span> : column;
  return <th scope="col">{title}</th>;
}

/** The head of a table. */
export function TableHead({ columns }: { readonly columns: readonly Column[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column, index) => (
          <Heading key={index} column={column} />
        ))}
      </tr>
    </thead>
  );
}
