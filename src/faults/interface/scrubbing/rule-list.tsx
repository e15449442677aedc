import 'server-only';

import { scrubRules } from '#src/faults/scrubbing/scrub-rules.ts';
import { Table, type Column } from '#viewer/table.tsx';

type Rule = (typeof scrubRules)[number];

function Result({ rule: { example, replace } }: { rule: Rule }) {
  const result = replace(example);
  if (result === example) return <span className="text-quiet">the same, until you add this key</span>;
  return <span className="code">{result}</span>;
}

const columns: readonly Column<Rule>[] = [
  { head: 'Removed', isRowName: true, cell: ({ name }) => name },
  { head: 'An example', cell: ({ example }) => <span className="code">{example}</span> },
  { head: 'Becomes', cell: (rule) => <Result rule={rule} /> },
  { head: 'In texts of', cell: ({ of }) => (of === 'all' ? 'browsers and servers' : 'browsers') },
];

/** Every rule for texts, with what it makes of an example: computed, not written down. */
export function RuleList() {
  return <Table label="Rules for texts" columns={columns} rows={scrubRules} keyOf={({ name }) => name} />;
}
