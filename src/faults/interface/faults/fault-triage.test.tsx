import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it, vi } from 'vitest';

import type { FaultState } from '#src/faults/grouping/fault-state.ts';
import type { FaultDetails } from '#src/faults/grouping/find-fault-page.ts';

import { FaultTriage } from './fault-triage.tsx';
import { sampleFault } from './testing/sample-fault.ts';

vi.mock('#src/faults/actions/triage-faults.ts', () => ({ triageFaults: () => {} }));

const now = sampleFault.lastTime;

function show(state: FaultState, unseen: FaultDetails['unseen'] = null): string {
  const shown = { ...sampleFault, unseen, state: state.type, stateDetails: state };
  return renderToStaticMarkup(<FaultTriage fault={shown} releases={['43', '42']} back="/faults/7k3m9qrt" now={now} />);
}

function textOf(html: string): string {
  return html.replace(/<[^>]*>/g, '');
}

it.each([
  [{ type: 'open' }, 'Opened 2 h ago.'],
  [{ type: 'muted' }, 'Muted 2 h ago: it is counted, and nobody is told.'],
  [{ type: 'resolved', in: { type: 'now' } }, 'Resolved 2 h ago. The next error opens it again.'],
  [{ type: 'resolved', in: { type: 'release', release: '42' } }, 'Resolved in release 42, 2 h ago.'],
  [{ type: 'resolved', in: { type: 'next-release' } }, 'Resolved in the next release, 2 h ago.'],
  [{ type: 'snoozed', until: { type: 'time', time: now } }, 'Snoozed 2 h ago, until 2026-11-22 12:00:00 UTC'],
  [
    { type: 'snoozed', until: { type: 'volume', count: 7, hours: 1, before: 0 } },
    'Snoozed 2 h ago, until it occurs 7 times within an hour.',
  ],
  [
    { type: 'snoozed', until: { type: 'volume', count: 7, hours: 3, before: 0 } },
    'until it occurs 7 times within 3 hours.',
  ],
] as const)('says of %j what it is', (state, text) => {
  expect(textOf(show(state))).toContain(text);
});

it('offers what would change something', () => {
  const changes = (html: string) => {
    const fields = html.match(/<(?:button|input)[^>]* name="to"[^>]*>/g) ?? [];
    return fields.map((field) => / value="([a-z-]+)"/.exec(field)?.[1]);
  };
  const folded = ['resolve-next', 'resolve-in', 'snooze', 'snooze-volume'];
  expect(changes(show({ type: 'open' }))).toEqual(['resolve', 'mute', ...folded]);
  expect(changes(show({ type: 'open' }, 'new'))).toEqual(['resolve', 'open', 'mute', ...folded]);
  expect(changes(show({ type: 'muted' }))).toEqual(['resolve', 'open', ...folded]);
  expect(changes(show({ type: 'resolved', in: { type: 'now' } }))).toEqual(['open', 'mute', ...folded]);
});

it('offers the known releases', () => {
  expect(show({ type: 'open' })).toContain('<datalist id="releases"><option>43</option>');
});

it('every form names the fault and the way back', () => {
  const html = show({ type: 'open' });
  const forms = html.match(/<form/g)?.length;
  expect(html.match(/name="fault" value="7k3m9qrt"/g)).toHaveLength(forms ?? 0);
  expect(html.match(/name="back" value="\/faults\/7k3m9qrt"/g)).toHaveLength(forms ?? 0);
});
