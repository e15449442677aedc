import './site-header.css';

import {
  aboutPath,
  alertsPath,
  appsPath,
  decodePath,
  faultsPath,
  faviconPath,
  flightsPath,
  guardPath,
  homePath,
  labPath,
  lookUpPath,
  operatorPath,
  runtimePath,
} from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { NavLink } from './nav-link.tsx';

export function SiteHeader() {
  return (
    <header className="border-b border-line bg-surface">
      <a href="#main" className="skip-link">
        Skip to content
      </a>
      <div className="mx-auto flex max-w-6xl flex-wrap items-stretch gap-x-8 px-4 sm:px-6">
        <Link
          to={homePath}
          prefetch="intent"
          className="flex items-center gap-2 py-2.5 font-semibold no-underline hover:text-ink"
        >
          <img src={faviconPath} alt="" width="20" height="20" />
          Flight Recorder
        </Link>
        <nav
          aria-label="Pages"
          className="order-2 -mb-px -ml-1 flex flex-wrap items-stretch gap-x-1 text-[0.8125rem] sm:gap-x-4 sm:text-[0.9375rem]"
        >
          <NavLink to={faultsPath} also={lookUpPath}>
            Faults
          </NavLink>
          <NavLink to={flightsPath} also={guardPath}>
            Flights
          </NavLink>
          <NavLink to={alertsPath}>Alerts</NavLink>
          <NavLink to={appsPath}>Apps</NavLink>
          <NavLink to={decodePath}>Decode</NavLink>
          {/* site-header.css: they are shown while nothing but this recorder is recorded, and while one of them is open. */}
          <span className="own-pages">
            <NavLink to={runtimePath}>Runtime</NavLink>
            <NavLink to={labPath}>Lab</NavLink>
          </span>
          <NavLink to={aboutPath}>
            About<span className="sr-only"> this recorder</span>
          </NavLink>
        </nav>
        {/* On a narrow screen it stands beside the name: there the pages fill a row of their own. */}
        <nav aria-label="Account" className="order-1 -mb-px ml-auto flex items-stretch sm:order-3">
          <NavLink to={operatorPath}>Operator</NavLink>
        </nav>
      </div>
    </header>
  );
}
