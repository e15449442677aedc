import { countOf } from '#flight';
import type { AppName } from '#src/apps/for-operator/read-apps.ts';
import { formatClock } from '#src/ui/format-time.ts';
import type { FlightSummary } from '../flight/flight-record.ts';

const prefetchWords = {
  used: { className: 'tag tag-good', text: 'used', title: 'A navigation showed this prefetched page' },
  unused: { className: 'tag tag-bad', text: 'unused', title: 'Its document ended before anybody went there' },
  expired: { className: 'tag tag-bad', text: 'expired', title: 'It became too old before anybody went there' },
  waiting: {
    className: 'tag',
    text: 'waiting',
    title: 'Not used and not too old yet, as far as the browser has reported',
  },
  unknown: { className: 'tag', text: 'outcome unknown', title: 'Nothing says whether anybody saw this page' },
} as const;

const outcomeWords = {
  complete: undefined,
  failed: { className: 'tag tag-bad', text: 'broke off', title: 'The stream broke before its end' },
  left: { className: 'tag', text: 'left', title: 'The browser disconnected before the end' },
  none: { className: 'tag', text: 'no payload', title: 'The answer carried no Flight rows' },
} as const;

const renderingTitles = {
  dynamic: 'Rendered for this request',
  static: 'Rendered for this request, although it could have been prerendered',
  prerendered: 'Served from a file made at build time',
  unknown: 'Nothing in the answer says whether it was rendered for this request',
} as const;

function Tag({ className, text, title }: { className: string; text: string; title: string }) {
  return (
    <span className={className} title={title}>
      {text}
    </span>
  );
}

type AppTagProps = {
  readonly flight: Pick<FlightSummary, 'app' | 'framework'>;
  /** Those of which the list may be. */
  readonly apps: readonly AppName[];
};

/** Names the app; nothing where the list can only be of that one, since the same name on every row says nothing. */
export function AppTag({ flight: { app, framework }, apps }: AppTagProps) {
  const known = apps.find(({ id }) => id === app);
  if (apps.length === 0 || (apps.length === 1 && known)) return null;
  const madeWith = framework ? `, made with ${framework}` : '';
  return (
    // An app that was deleted has no name any more.
    <span className="tag tag-app" title={`The app that sent it: ${known?.name ?? app}${madeWith}`}>
      {known?.name ?? app}
    </span>
  );
}

type OutcomeProps = { readonly flight: Pick<FlightSummary, 'kind' | 'prefetchOutcome' | 'usedAt' | 'toldAt'> };

/** What became of a prefetch in the browser, and of what may have been one. */
export function PrefetchOutcomeTag({ flight }: OutcomeProps) {
  const { kind, prefetchOutcome: outcome } = flight;
  if (kind === 'navigation-or-prefetch' && flight.usedAt !== undefined) {
    const title = 'Somebody went to this page: by this request, or later from what it had fetched';
    return <Tag className="tag tag-good" text="shown" title={title} />;
  }
  if (kind === 'navigation' && flight.toldAt !== undefined) {
    return (
      <Tag className="tag" text="reported" title="It may have been a prefetch: a browser reported that it was not" />
    );
  }
  if (outcome === undefined) return null;
  const { className, text, title } = prefetchWords[outcome];
  if (flight.toldAt === undefined) return <Tag className={className} text={text} title={title} />;
  // Anybody may have told it.
  return <Tag className={className} text={`${text}, reported`} title={`${title}: a browser reported it`} />;
}

/** How its response ended, unless it is complete, and whether all of it was kept. */
export function OutcomeTags({ flight }: { flight: Pick<FlightSummary, 'outcome' | 'isCut'> }) {
  const words = outcomeWords[flight.outcome];
  return (
    <>
      {words ? <Tag {...words} /> : null}
      {flight.isCut ? (
        <Tag className="tag" text="cut" title="More went out than a recording keeps of one flight" />
      ) : null}
    </>
  );
}

/** `1,234 hits between 12:00:01.003 and 12:00:01.981 UTC`; undefined for a flight with one hit. */
export function describeHits({ hits, startedAt, lastAt }: Pick<FlightSummary, 'hits' | 'startedAt' | 'lastAt'>) {
  if (lastAt === undefined) return undefined;
  return `${countOf(hits, 'hit')} between ${formatClock(startedAt)} and ${formatClock(lastAt)} UTC`;
}

/** Marks a flight that stands for several hits of a prerendered page, which were too many for a row each. */
export function HitsTag({ flight }: { flight: FlightSummary }) {
  const hits = describeHits(flight);
  if (hits === undefined) return null;
  return (
    <Tag
      className="tag"
      text={countOf(flight.hits, 'hit')}
      title={`${hits}; the rest of the line is the first of them`}
    />
  );
}

export function RenderingTag({ rendering }: { rendering: FlightSummary['rendering'] }) {
  return <Tag className="tag" text={rendering} title={renderingTitles[rendering]} />;
}

export function StatusText({ status }: { status: number }) {
  return <span className={status >= 400 || status === 0 ? 'font-semibold text-error' : ''}>{status || 'none'}</span>;
}
