import { faultsPath } from '#src/server/http/addresses.ts';
import type { FaultFacets } from '#src/faults/grouping/list-facets.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import {
  formatFaultQuery,
  hasFields,
  hasFilter,
  levels,
  phases,
  sides,
  spans,
  states,
  toFirstPage,
  withoutFilter,
  type FaultQuery,
} from './fault-query.ts';

const stateWords = {
  open: 'open',
  unseen: 'new or came back',
  resolved: 'resolved',
  snoozed: 'snoozed',
  muted: 'muted',
  any: 'any',
} as const;

const sideWords = { server: 'servers', browser: 'only browsers', any: 'both' } as const;

const spanWords = {
  '1h': 'the last hour',
  '24h': 'the last 24 h',
  '7d': 'the last 7 days',
  '14d': 'the last 14 days',
  '30d': 'the last 30 days',
} as const;

type ChoiceProps = {
  readonly label: string;
  readonly name: string;
  readonly chosen: string | undefined;
  readonly choices: readonly (readonly [value: string, text: string])[];
};

function Choice({ label, name, chosen, choices }: ChoiceProps) {
  return (
    <label>
      {label}
      <select name={name} defaultValue={chosen ?? ''}>
        {choices.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

type FieldProps = {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly suggestions: readonly string[];
  readonly title?: string;
};

function Field({ label, name, value, suggestions, title }: FieldProps) {
  return (
    <label title={title}>
      {label}
      <input
        type="text"
        name={name}
        list={`known-${name}`}
        defaultValue={value}
        className="w-36"
        autoComplete="off"
        spellCheck={false}
      />
      <datalist id={`known-${name}`}>
        {suggestions.map((suggestion) => (
          <option key={suggestion} value={suggestion}>
            {suggestion}
          </option>
        ))}
      </datalist>
    </label>
  );
}

/** What the form does not ask for, and its address has to say again. */
function Kept({ query }: { query: FaultQuery }) {
  const kept = new URLSearchParams(formatFaultQuery({ ...withoutFilter(query), text: query.text }));
  kept.delete('state');
  return [...kept].map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />);
}

const anyChoice = ['', 'any'] as const;

/** A plain GET form. The address that it leads to is the filter. */
export function FaultFilters({ query, facets }: { query: FaultQuery; facets: FaultFacets }) {
  return (
    // Fields keep what was typed: a link to another filter makes them anew.
    <form key={formatFaultQuery(toFirstPage(query))} method="get" action={faultsPath} aria-label="Filter">
      <details className="filters-fold" open={hasFields(query)}>
        <summary>Filter</summary>
        <div className="filters">
          <Kept query={query} />
          <Choice
            label="State"
            name="state"
            chosen={query.state}
            choices={states.map((state) => [state, stateWords[state]])}
          />
          <Choice
            label="Seen in"
            name="since"
            chosen={query.span}
            choices={[['', 'all time'], ...Object.keys(spans).map((span) => [span, describeSpan(span)] as const)]}
          />
          <Choice
            label="Known from"
            name="side"
            chosen={query.side}
            choices={[['', 'servers, else browsers'], ...sides.map((side) => [side, sideWords[side]] as const)]}
          />
          <Choice
            label="Level"
            name="level"
            chosen={query.level}
            choices={[anyChoice, ...levels.map((level) => [level, level] as const)]}
          />
          <Choice
            label="Phase"
            name="phase"
            chosen={query.phase}
            choices={[anyChoice, ...phases.map((phase) => [phase, phase] as const)]}
          />
          <Field label="Release" name="release" value={query.release} suggestions={facets.release} />
          <Field
            label="First seen in"
            name="first-release"
            value={query.firstRelease}
            suggestions={facets.release}
            title="The release or the build with which it began."
          />
          <Field label="Environment" name="environment" value={query.environment} suggestions={facets.environment} />
          <Field
            label="Route contains"
            name="route"
            value={query.route}
            suggestions={facets.route}
            title="A part of the route or of the path. In quotes: the whole of it."
          />
          <button type="submit" className="button-small">
            Filter
          </button>
          {hasFilter(query) ? (
            <Link to={`${faultsPath}${formatFaultQuery(withoutFilter(query))}`} prefetch="intent">
              Clear
            </Link>
          ) : null}
        </div>
      </details>
    </form>
  );
}

function describeSpan(span: string): string {
  return Object.entries(spanWords).find(([name]) => name === span)?.[1] ?? span;
}
