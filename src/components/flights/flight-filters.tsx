import { formatBytes, formatDuration } from '#flight';
import { flightsPath } from '#src/http/addresses.ts';
import { formatAppQuery } from '#src/components/app-query.ts';

import { hasFilter, kinds, largeSteps, slowSteps, type FlightQuery } from './flight-query.ts';

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

/** A plain GET form. The address that it leads to is the filter. */
export function FlightFilters({ query, routes, isDigestWrong }: FlightFiltersProps) {
  return (
    // A page that was left with an unsent filter comes back with the filter of its address.
    <form key={JSON.stringify(query)} method="get" action={flightsPath} className="filters" aria-label="Filter">
      {query.app === undefined ? null : <input type="hidden" name="app" value={query.app} />}
      <fieldset className="basis-full">
        <legend>Kind</legend>
        {kinds.map((kind) => (
          <label key={kind}>
            <input type="checkbox" name="kind" value={kind} defaultChecked={query.kinds.includes(kind)} /> {kind}
          </label>
        ))}
      </fieldset>
      <label>
        Route
        <input name="route" list="known-routes" defaultValue={query.route} className="w-52" spellCheck={false} />
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
      <label>
        Digest
        <input
          name="digest"
          defaultValue={query.digest}
          className="w-36 font-mono"
          autoComplete="off"
          spellCheck={false}
          aria-invalid={isDigestWrong || undefined}
          aria-describedby={isDigestWrong ? 'digest-problem' : undefined}
        />
      </label>
      <span className="flex items-center gap-3">
        <button type="submit">Filter</button>
        {hasFilter(query) ? <a href={`${flightsPath}${formatAppQuery(query.app)}`}>Show all</a> : null}
      </span>
      {isDigestWrong ? (
        <p id="digest-problem" className="basis-full font-medium text-error">
          This cannot be a digest: a digest has no spaces, and digits in it.
        </p>
      ) : null}
    </form>
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
