import { RequestFlights } from '#src/flights/interface/request-flights.tsx';
import { experimentPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { RenderedAt } from '../rendered-at.tsx';

export default function DynamicPage() {
  return (
    <div className="stack-3">
      <title>Rendered for each request · Flight Recorder</title>
      <h1>Rendered for each request</h1>
      <RenderedAt />
      <RequestFlights />
      <p>
        <Link to={experimentPath('prerendered')} prefetch="never">
          The prerendered one
        </Link>
      </p>
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
