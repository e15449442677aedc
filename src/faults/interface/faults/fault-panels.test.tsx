import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it, vi } from 'vitest';

import { readFaultChanges } from '#src/faults/grouping/read-fault-changes.ts';
import { listFeedback } from '#src/faults/feedback/list-feedback.ts';

import { FaultChanges } from './fault-changes.tsx';
import { FaultFeedback } from './fault-feedback.tsx';
import { sampleFault } from './testing/sample-fault.ts';
import { ShownError } from './shown-error.tsx';

vi.mock('#src/faults/grouping/read-fault-changes.ts', () => ({ readFaultChanges: vi.fn() }));
vi.mock('#src/faults/feedback/list-feedback.ts', () => ({ listFeedback: vi.fn() }));
// It has a form with an action of the server.
vi.mock('#src/faults/interface/digest-flights.tsx', () => ({ DigestFlights: () => null }));
// It asks for the request's headers, which the framework has for React's server alone.
vi.mock('#src/ui/editor/editor-link.tsx', () => ({
  EditorLink: ({ children }: { children: React.ReactNode }) => children,
}));

const now = sampleFault.lastTime;

async function textOf(element: Promise<React.ReactNode>): Promise<string> {
  return renderToStaticMarkup(await element).replace(/<[^>]*>/g, '');
}

it('says that nothing but counts is left, where no error is kept', async () => {
  const fault = { ...sampleFault, count: 48_000, untrusted: 210, kept: 0 };
  const text = await textOf(ShownError({ fault, shown: undefined, isAskedGone: false, asked: {}, now }));
  expect(text).toContain('None of its errors is kept any more');
  expect(text).toContain('48,000 were counted');
});

it('shows what people wrote as untrusted, and as text', async () => {
  const said = { id: '1', app: 'shop', source: 'sdk', receivedAt: now, digest: undefined, eventId: undefined } as const;
  const items = [{ ...said, name: '', message: '<b>I paid twice</b>', path: '/cart' }];
  vi.mocked(listFeedback).mockResolvedValue({ items, total: 30 });
  const html = renderToStaticMarkup(await FaultFeedback({ fault: sampleFault, now }));
  expect(html).toContain('&lt;b&gt;I paid twice&lt;/b&gt;');
  expect(html).toContain('untrusted');
  expect(html).toContain('The latest 1 of 30');
  vi.mocked(listFeedback).mockResolvedValue({ items: [], total: 0 });
  expect(renderToStaticMarkup(await FaultFeedback({ fault: sampleFault, now }))).toBe('');
});

it('says with which release a fault came, and how long after it', async () => {
  const before = { release: '41', time: now - 86_400_000 };
  const changes = { release: '42', releaseTime: now - 7_200_000, before };
  vi.mocked(readFaultChanges).mockResolvedValue(changes);
  const text = await textOf(FaultChanges({ fault: sampleFault, now }));
  expect(text).toContain('First seen in release 42, 2 h after the first that was heard of it.');
  expect(text).toContain('The release before is 41, first heard of 24 h ago.');
  vi.mocked(readFaultChanges).mockResolvedValue({ ...changes, releaseTime: now, before: undefined });
  const first = await textOf(FaultChanges({ fault: sampleFault, now }));
  expect(first).toContain('it is the first that was heard of that release');
  expect(first).toContain('No release of the same package before it is known');
  vi.mocked(readFaultChanges).mockResolvedValue(undefined);
  expect(await textOf(FaultChanges({ fault: sampleFault, now }))).toBe('');
});
