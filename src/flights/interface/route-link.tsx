import { Link } from '#src/runtime/navigation/link.tsx';

/** The name of a route, which leads to its flights from all of its row. */
export function RouteLink({ to, route }: { to: string; route: string }) {
  return (
    <span className="row-line">
      <Link to={to} prefetch="intent" className="code row-link" title={route}>
        {route}
      </Link>
    </span>
  );
}
