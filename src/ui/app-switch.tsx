import './app-switch.css';

import { OwnPages } from './own-pages.tsx';
import { Link } from '#src/runtime/navigation/link.tsx';

type AppSwitchProps = {
  readonly apps: readonly { readonly id: string; readonly name: string }[];
  /** Which is shown; undefined for all. */
  readonly app: string | undefined;
  readonly path: string;
  /** The address of the same list for another app. */
  readonly to: (app: string | undefined) => string;
  /** Where a list of all apps may leave out this server itself: the address of the same list with it, or without it. */
  readonly own?: { readonly isLeftOut: boolean; readonly to: string };
};

/** More of them would fill more than one line. */
const mostLinks = 6;

/**
 * Chooses of which app a list is. With one app alone there is nothing to choose, and the header is told so. Links, or a plain form
 * where there are many: both work without JavaScript.
 */
export function AppSwitch({ apps, app, path, to, own }: AppSwitchProps) {
  if (apps.length < 2) return <OwnPages isAlone />;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
      <OwnPages isAlone={false} />
      {apps.length > mostLinks ? <AppSelect apps={apps} app={app} path={path} /> : <AppLinks {...{ apps, app, to }} />}
      {own && app === undefined ? (
        <Link to={own.to} prefetch="intent" className="leading-7">
          {own.isLeftOut ? 'Include Flight Recorder itself' : 'Leave out Flight Recorder itself'}
        </Link>
      ) : null}
    </div>
  );
}

function AppLinks({ apps, app, to }: Pick<AppSwitchProps, 'apps' | 'app' | 'to'>) {
  const choices = [{ id: undefined, name: 'All apps' }, ...apps];
  return (
    <nav aria-label="App" className="flex flex-wrap gap-x-1 gap-y-1 text-sm">
      {choices.map(({ id, name }) => (
        <Link
          key={id ?? ''}
          to={to(id)}
          prefetch="intent"
          aria-current={id === app ? 'true' : undefined}
          className="app-choice"
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}

function AppSelect({ apps, app, path }: Pick<AppSwitchProps, 'apps' | 'app' | 'path'>) {
  return (
    <form key={app ?? ''} method="get" action={path} className="flex flex-wrap items-center gap-2 text-sm">
      <label className="flex items-center gap-2">
        App
        <select name="app" defaultValue={app ?? ''}>
          <option value="">All apps</option>
          {apps.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" className="button-small">
        Show
      </button>
    </form>
  );
}
