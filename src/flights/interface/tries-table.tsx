import { formatCount } from '#flight';
import { Moment } from '#src/ui/moment.tsx';
import { TableHead } from '#viewer/table-head.tsx';

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

function Try({ tried, now }: { tried: StoredTry; now: number }) {
  const { app, rule, advisory, network, status, count, last_at: lastAt, path, action, detail, body } = tried;
  return (
    <tr>
      <th scope="row" className="sm:w-[46%]">
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
      </th>
      <td data-label="App">{app}</td>
      <td data-label="From">
        <span className="code">{network}</span>
      </td>
      <td data-label="Answered">{status === 0 ? 'nothing' : status}</td>
      <td data-label="Times">{formatCount(count)}</td>
      <td data-label="Last" className="whitespace-nowrap">
        <Moment time={lastAt} now={now} isDense />
      </td>
    </tr>
  );
}

/** One row for each kind, network and answer. On a narrow screen each folds. */
export function TriesTable({ tries, now }: { tries: readonly StoredTry[]; now: number }) {
  return (
    <table className="fold" aria-label="Forged requests">
      <TableHead columns={['What', 'App', 'From', 'Answered', 'Times', 'Last']} />
      <tbody>
        {tries.map((tried) => (
          <Try
            key={[tried.app, tried.rule, tried.advisory, tried.network, tried.status].join(' ')}
            tried={tried}
            now={now}
          />
        ))}
      </tbody>
    </table>
  );
}
