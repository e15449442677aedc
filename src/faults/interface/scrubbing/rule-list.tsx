import 'server-only';

import { scrubRules } from '#src/faults/scrubbing/scrub-rules.ts';
import { TableHead } from '#viewer/table-head.tsx';

/** Every rule for texts, with what it makes of an example: computed, not written down. */
export function RuleList() {
  return (
    <table className="fold" aria-label="Rules for texts">
      <TableHead columns={['Removed', 'An example', 'Becomes', 'In texts of']} />
      <tbody>
        {scrubRules.map(({ name, example, of, replace }) => {
          const result = replace(example);
          return (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td data-label="An example">
                <span className="code">{example}</span>
              </td>
              <td data-label="Becomes">
                {result === example ? (
                  <span className="text-quiet">the same, until you add this key</span>
                ) : (
                  <span className="code">{result}</span>
                )}
              </td>
              <td data-label="In texts of">{of === 'all' ? 'browsers and servers' : 'browsers'}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
