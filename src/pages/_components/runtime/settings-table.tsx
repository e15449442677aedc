import { formatCount } from '#flight';
import { runtimeSettings } from '#src/runtime/settings.ts';
import { TableHead } from '#viewer/table-head.tsx';

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

/** The runtime's fixed values, under their names in the code. */
export function SettingsTable() {
  return (
    <table>
      <TableHead columns={['Setting', 'Value']} />
      <tbody>
        {descriptions.map(([name, description]) => (
          <tr key={name}>
            <th scope="row" className="font-normal">
              {description}
              <span className="code block text-quiet">{name}</span>
            </th>
            <td className="font-semibold whitespace-nowrap">{formatSetting(name)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
