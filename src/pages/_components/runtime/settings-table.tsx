import { formatCount } from '#flight';
import { runtimeSettings } from '#src/runtime/settings.ts';
import { Table, type Column } from '#viewer/table.tsx';

type SettingName = keyof typeof runtimeSettings;

/** Each description is completed by the value. */
const descriptions: readonly (readonly [SettingName, string])[] = [
  ['prefetchDynamicLifetimeMs', 'A prefetched dynamic page may be used for'],
  ['prefetchStaticLifetimeMs', 'A prefetched static page may be used for'],
  ['concurrentPrefetches', 'Prefetches running at once'],
  ['routeLoadingTimeoutMs', 'A navigation without progress becomes a document load after'],
  ['pageDataRetries', 'Retries of page data on server errors, while rendering'],
  ['breadcrumbsKept', 'Breadcrumbs kept for a report, the newest win'],
  ['baggageMaxLength', 'Characters in the encoded baggage header'],
];

function formatSetting(name: SettingName): string {
  const value = runtimeSettings[name];
  return name.endsWith('Ms') ? `${value / 1_000} s` : formatCount(value);
}

const columns: readonly Column<(typeof descriptions)[number]>[] = [
  {
    head: 'Setting',
    isRowName: true,
    className: 'font-normal',
    cell: ([name, description]) => (
      <>
        {description}
        <span className="code block text-quiet">{name}</span>
      </>
    ),
  },
  { head: 'Value', className: 'font-semibold whitespace-nowrap', cell: ([name]) => formatSetting(name) },
];

/** The runtime’s fixed values, under their names in the code. */
export function SettingsTable() {
  return <Table className="" columns={columns} rows={descriptions} keyOf={([name]) => name} />;
}
