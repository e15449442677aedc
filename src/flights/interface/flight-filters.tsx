import { formatBytes, formatDuration } from '#flight';
import { flightsPath } from '#src/server/http/addresses.ts';

import { Link } from '#src/runtime/navigation/link.tsx';

import { nameKind } from '#src/ui/kind-badge.tsx';
import { ApplyAsTyped } from './list-forms.tsx';
import {
  formatFlightQuery,
  hasFilter,
  kinds,
  largeSteps,
  slowSteps,
  toFirstPage,
  withoutFilter,
  type FlightQuery,
} from './flight-query.ts';

const statusWords = [
  ['2', '2xx'],
  ['3', '3xx'],
  ['4', '4xx'],
  ['5', '5xx'],
  ['failed', 'failed'],
] as const;

type FlightFiltersProps = {
  readonly query: FlightQuery;
  /** Suggested while a route is typed. */
  readonly routes: readonly string[];
  readonly isDigestWrong: boolean;
};

/** What the address says besides the filter, for the form to say it again. */
function Kept({ query }: { query: FlightQuery }) {
  const kept = new URLSearchParams(formatFlightQuery(withoutFilter(query)));
  return [...kept].map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />);
}

/** Of another app, most of a list may be prefetches. */
const withoutPrefetches = kinds.filter((kind) => kind !== 'prefetch');

/** A plain GET form. The address that it leads to is the filter. */
export function FlightFilters({ query, routes, isDigestWrong }: FlightFiltersProps) {
  return (
    <ApplyAsTyped search={formatFlightQuery(toFirstPage(query))} hasFilter={hasFilter(query)}>
      <Kept query={query} />
      <fieldset>
        <legend className="sr-only">Kind</legend>
        {kinds.map((kind) => (
          <label key={kind}>
            <input type="checkbox" name="kind" value={kind} defaultChecked={query.kinds.includes(kind)} />{' '}
            {nameKind(kind)}
          </label>
        ))}
      </fieldset>
      {query.kinds.length === 0 ? (
        <Link
          to={`${flightsPath}${formatFlightQuery({ ...toFirstPage(query), kinds: withoutPrefetches })}`}
          prefetch="intent"
        >
          Hide prefetches
        </Link>
      ) : null}
      <label title="A part of the route or of the path. In quotes: the whole of it.">
        Route contains
        <input
          type="text"
          name="route"
          list="known-routes"
          defaultValue={query.route}
          className="w-40"
          spellCheck={false}
        />
      </label>
      <datalist id="known-routes">
        {routes.map((route) => (
          <option key={route} value={route}>
            {route}
          </option>
        ))}
      </datalist>
      <label>
        Status
        <select name="status" defaultValue={query.status ?? ''}>
          <option value="">any</option>
          {statusWords.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <StepFilter
        label="Slower than"
        name="slow"
        chosen={query.slowerThanMs}
        steps={slowSteps}
        format={formatDuration}
      />
      <StepFilter label="Larger than" name="large" chosen={query.largerThan} steps={largeSteps} format={formatBytes} />
      <label title="The id of the build that answered: the whole of it.">
        Build
        <input
          type="text"
          name="build"
          defaultValue={query.build}
          className="w-32 font-mono"
          autoComplete="off"
          spellCheck={false}
        />
      </label>
      <label>
        Digest
        <input
          type="text"
          name="digest"
          defaultValue={query.digest}
          className="w-32 font-mono"
          autoComplete="off"
          spellCheck={false}
          aria-invalid={isDigestWrong || undefined}
          aria-describedby={isDigestWrong ? 'digest-problem' : undefined}
        />
      </label>
      <button type="submit" className="filters-go button-small">
        Filter
      </button>
      {hasFilter(query) ? (
        <Link to={`${flightsPath}${formatFlightQuery(withoutFilter(query))}`} prefetch="intent">
          Show all
        </Link>
      ) : null}
      {isDigestWrong ? (
        <p id="digest-problem" className="basis-full font-medium text-error">
          This cannot be a digest: a digest has no spaces, and digits in it.
        </p>
      ) : null}
    </ApplyAsTyped>
  );
}

type StepFilterProps = {
  readonly label: string;
  readonly name: string;
  readonly chosen: number | undefined;
  readonly steps: readonly number[];
  readonly format: (step: number) => string;
};

function StepFilter({ label, name, chosen, steps, format }: StepFilterProps) {
  return (
    <label>
      {label}
      <select name={name} defaultValue={chosen ?? ''}>
        <option value="">any</option>
        {steps.map((step) => (
          <option key={step} value={step}>
            {format(step)}
          </option>
        ))}
      </select>
    </label>
  );
}
