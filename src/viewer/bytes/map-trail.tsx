import type { MapNode } from './map-node.ts';

type MapTrailProps = { readonly trail: readonly MapNode[]; readonly onGo: (depth: number) => void };

/** Where the map is in the payload. Each step leads back to its level. */
export function MapTrail({ trail, onGo }: MapTrailProps) {
  const last = trail.length - 1;
  return (
    <nav aria-label="Where in the payload" className="flight-map-trail">
      <ol>
        {trail.map((node, depth) => (
          <li key={depth}>
            {depth === last ? (
              <span aria-current="location" title={node.title}>
                {node.name}
              </span>
            ) : (
              <button type="button" title={node.title} onClick={() => onGo(depth)}>
                {node.name}
              </button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
