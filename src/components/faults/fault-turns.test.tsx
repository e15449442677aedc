import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it, vi } from 'vitest';

import type { FaultTurn } from '#src/reports/faults/find-fault-page.ts';

import { FaultTurns } from './fault-turns.tsx';
import { sampleFault } from './testing/sample-fault.ts';

vi.mock('#src/actions/undo-turns.ts', () => ({ undoTurns: () => {} }));

const now = sampleFault.lastTime;

function createTurn(parts: Partial<FaultTurn> & Pick<FaultTurn, 'id' | 'type'>): FaultTurn {
  const rest = { time: now, by: 'operator', occurrence: null, state: undefined, detail: {}, batch: 'b', undone: null };
  return { ...rest, by: 'operator', ...parts };
}

/** The lines, and what lies in the fold after a `|`. */
function show(turns: readonly FaultTurn[]): { readonly text: string; readonly html: string } {
  const html = renderToStaticMarkup(<FaultTurns fault={{ ...sampleFault, turns }} back="/faults/7k3m9qrt" now={now} />);
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
    createTurn({ id: '2', type: 'noted' }),
    createTurn({ id: '1', type: 'merged', detail: { moved: [{}] } }),
  ]);
  expect(text).toContain('Took over 1 other fault by the operator');
  expect(text).not.toContain('Noted');
  expect(html).toContain('name="batch" value="b"');
});

it('tells that somebody noted it', () => {
  expect(show([createTurn({ id: '1', type: 'noted' })]).text).toContain('Noted by the operator');
});

it('has what was undone in a fold', () => {
  const { text, html } = show([
    createTurn({ id: '3', type: 'reopened', undone: now }),
    createTurn({ id: '2', type: 'noted', batch: 'a' }),
    createTurn({ id: '1', type: 'first-seen', by: 'system', batch: null }),
  ]);
  const [lines, fold] = text.split('|');
  expect(lines).toMatch(/Noted by the operator.*First seen/);
  expect(lines).not.toContain('Reopened');
  expect(fold).toMatch(/1 undone.*Reopened by the operator/);
  expect(html).toContain('name="turn" value="2"');
});
