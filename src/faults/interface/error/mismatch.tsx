import { Facts } from '#viewer/facts.tsx';

/** What `flight-recorder/browser` tells of a mismatch of hydration stands in its extra data under this name. */
const prefix = 'hydration.';

export function isOfMismatch(name: string): boolean {
  return name.startsWith(prefix);
}

/** Likely causes, in the words of packages/report/src/browser/mismatch/guess-cause.ts, each with what to do. */
const causes = new Map([
  ['extension', 'an extension of the browser, or its translation, changed the page. The app need not be wrong'],
  ['time', 'each side reads the clock. Give the server’s time to the browser, or show it after the first render'],
  ['time-zone', 'the same time in two zones. Name the zone, or format the time after the first render'],
  ['locale', 'the same value in two languages’ forms. Name the locale that both sides format with'],
  ['random', 'each side makes a value of its own. Make it on the server, or use useId'],
  [
    'one-side',
    'only one side renders it, as behind typeof window, storage or a media query. Render it after the first render',
  ],
]);

function Side({ text }: { text: string }) {
  return text === '' ? (
    <span className="text-quiet">nothing</span>
  ) : (
    <span className="code whitespace-pre-wrap">{text}</span>
  );
}

/** The first place where the page that the server sent differs from what React made of it. Nothing where it is not told. */
export function Mismatch({ extra }: { extra: Readonly<Record<string, string>> }) {
  const read = (name: string) => extra[prefix + name] ?? '';
  const kind = read('kind');
  if (kind === '') return null;
  const cause = causes.get(read('cause'));
  return (
    <section aria-label="What differs" className="stack-1.5">
      <h4>The first {kind} that differs</h4>
      <Facts
        facts={[
          { name: 'Server', value: <Side text={read('server')} /> },
          { name: 'Browser', value: <Side text={read('browser')} /> },
          { name: 'In', value: <span className="code">{read('where') || 'the root'}</span> },
          {
            name: 'Likely cause',
            value: cause === undefined ? 'not known: both sides were given other data' : `${cause}.`,
          },
        ]}
      />
    </section>
  );
}
