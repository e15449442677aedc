import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it, vi } from 'vitest';

import type { FaultActivity } from '#src/faults/grouping/find-fault-page.ts';

import { FaultActivities } from './fault-activity.tsx';
import { sampleFault } from './testing/sample-fault.ts';

vi.mock('#src/faults/actions/undo-activities.ts', () => ({ undoActivities: () => {} }));

const now = sampleFault.lastTime;

function createActivity(parts: Partial<FaultActivity> & Pick<FaultActivity, 'id' | 'type'>): FaultActivity {
  const rest = { time: now, by: 'operator', error: null, state: undefined, detail: {}, batch: 'b', undone: null };
  return { ...rest, by: 'operator', ...parts };
}

/** The lines, and what lies in the fold after a `|`. */
function show(activities: readonly FaultActivity[]): { readonly text: string; readonly html: string } {
  const html = renderToStaticMarkup(
    <FaultActivities fault={{ ...sampleFault, activities }} back="/faults/7k3m9qrt" now={now} />,
  );
  return {
    html,
    text: html
      .replace('<details>', '|')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' '),
  };
}

it('tells of a merge once, and undoes all of it', () => {
  const { text, html } = show([
    createActivity({ id: '2', type: 'noted' }),
    createActivity({ id: '1', type: 'merged', detail: { moved: [{}] } }),
  ]);
  expect(text).toContain('Took over 1 other fault by the operator');
  expect(text).not.toContain('Noted');
  expect(html).toContain('name="batch" value="b"');
});

it('tells that somebody noted it', () => {
  expect(show([createActivity({ id: '1', type: 'noted' })]).text).toContain('Noted by the operator');
});

it('has what was undone in a fold', () => {
  const { text, html } = show([
    createActivity({ id: '3', type: 'reopened', undone: now }),
    createActivity({ id: '2', type: 'noted', batch: 'a' }),
    createActivity({ id: '1', type: 'first-seen', by: 'system', batch: null }),
  ]);
  const [lines, fold] = text.split('|');
  expect(lines).toMatch(/Noted by the operator.*First seen/);
  expect(lines).not.toContain('Reopened');
  expect(fold).toMatch(/1 undone.*Reopened by the operator/);
  expect(html).toContain('name="activity" value="2"');
});
