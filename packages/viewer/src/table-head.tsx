import type { ReactElement } from 'react';

/** A column by its title. `number`: its cells are figures, at the end of the line. `hidden`: only screen readers read the title. */
type Column = string | ReactElement | { readonly number: string | ReactElement } | { readonly hidden: string };

function Heading({ column }: { readonly column: Column }) {
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
