import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import { AppList, type ListedApp } from './app-list.tsx';
import { describeAppErrors } from '#src/apps/interface/describe-app-errors.ts';

const own = { id: 'flight-recorder', name: 'Flight Recorder', isOwn: true, flights: undefined, refused: 0 } as const;

function readErrors(counts: Pick<ListedApp, 'errors' | 'untrusted'>): string {
  const html = renderToStaticMarkup(<AppList apps={[{ ...own, ...counts }]} now={0} />);
  const [, cell = ''] = /data-label="Errors kept">(.*?)<\/td>/.exec(html) ?? [];
  return cell.replaceAll(/<[^>]+>/g, '');
}

it('names the reports of an app that browsers alone told of, and no number of errors', () => {
  const [errors, untrusted] = [
    { errors: 4, lastAt: 1, framework: '' },
    { untrusted: 12, lastAt: 1 },
  ];
  expect(readErrors({ errors: undefined, untrusted })).toMatch(/^12 untrusted/);
  expect(readErrors({ errors, untrusted })).toMatch(/^4 events \+ 12 untrusted/);
  expect(readErrors({ errors, untrusted: undefined })).toMatch(/^4 events of/);
});

it('says the same where it counts in words', () => {
  expect(describeAppErrors(0, 3)).toBe('3 errors from browsers');
  expect(describeAppErrors(1, 1)).toBe('1 error, 1 error from browsers');
  expect(describeAppErrors(0, 0)).toBe('0 errors');
});
