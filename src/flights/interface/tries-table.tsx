import { formatCount } from '#flight';
import { timeColumn } from '#src/ui/time-column.tsx';
import { Table, type Column } from '#viewer/table.tsx';

import type { StoredTry, TryRule } from '../flight/forged-try.ts';

/** What each kind of try is, for a person who does not know the format. */
const words: Readonly<Record<TryRule, string>> = {
  envelope: 'Form data that no browser writes',
  spelling: 'JSON that no client spells so',
  name: 'A field that is no part',
  form: 'A form that no client sends',
  path: 'A reference to what was not sent',
  circle: 'References without an end',
  missing: 'A part that did not come',
  unreferenced: 'A part that nothing refers to',
  twice: 'A part that is used twice',
  shape: 'A part that is not what is said of it',
  order: 'Parts in an order that no client writes',
  size: 'More than a server takes',
  'unknown-action': 'An action that no build has',
};

function nameTry(rule: string): string {
  return Object.entries(words).find(([known]) => known === rule)?.[1] ?? rule;
}

/** Somebody else's text, of which nothing may look like ours: controls are written out. */
function escapeControls(text: string): string {
  return text.replace(/[^\P{C}\n]/gu, (control) => `\\u${(control.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}

function What({ tried: { rule, advisory, detail, path, action, body } }: { tried: StoredTry }) {
  return (
    <>
      {nameTry(rule)} {advisory === '' ? null : <span className="code text-error">{advisory}</span>}
      <p className="code font-normal [overflow-wrap:anywhere] text-quiet">{escapeControls(detail)}</p>
      <details>
        <summary>What was sent to {escapeControls(path)}</summary>
        {action === '' ? null : (
          <p className="text-sm">
            Action <span className="code break-all">{escapeControls(action)}</span>
          </p>
        )}
        <pre className="code max-h-96 overflow-auto break-all whitespace-pre-wrap">{escapeControls(body)}</pre>
      </details>
    </>
  );
}

function listColumns(now: number): readonly Column<StoredTry>[] {
  return [
    { head: 'What', isRowName: true, className: 'sm:w-[46%]', cell: (tried) => <What tried={tried} /> },
    { head: 'App', cell: ({ app }) => app },
    { head: 'From', cell: ({ network }) => <span className="code">{network}</span> },
    { head: 'Answered', cell: ({ status }) => (status === 0 ? 'nothing' : status) },
    { head: 'Times', cell: ({ count }) => formatCount(count) },
    timeColumn('Last', now, (tried) => tried.last_at),
  ];
}

/** One row for each kind, network and answer. */
export function TriesTable({ tries, now }: { tries: readonly StoredTry[]; now: number }) {
  const keyOf = ({ app, rule, advisory, network, status }: StoredTry) =>
    [app, rule, advisory, network, status].join(' ');
  return <Table label="Forged requests" columns={listColumns(now)} rows={tries} keyOf={keyOf} />;
}
