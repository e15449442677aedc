import { formatBytes, formatShare } from '#flight';

import { formatMapHash } from '../bytes/map-hash.ts';
import type { MapNode } from '../bytes/map-node.ts';
import type { OpenedFlight } from '../opened-flight.ts';
import { WhenUnderstood } from '../when-understood.tsx';

/** One bar of all bytes by what they are there for, and each kind with its share. Each leads to where these bytes are. */
export function ByteKinds({ opened }: { readonly opened: OpenedFlight }) {
  return (
    <div className="flight-kinds">
      <WhenUnderstood opened={opened} what="the bytes">
        {({ views }) => <Kinds kinds={views.kinds.children} total={views.kinds.bytes} />}
      </WhenUnderstood>
    </div>
  );
}

type KindsProps = { readonly kinds: readonly MapNode[]; readonly total: number };

function Kinds({ kinds, total }: KindsProps) {
  if (kinds.length === 0) return <p className="text-quiet">There are no bytes in it.</p>;
  return (
    <>
      <div className="flight-share-bar" aria-hidden="true">
        {kinds.map((kind) => (
          <span
            key={kind.name}
            title={`${kind.name}: ${formatBytes(kind.bytes)}, ${formatShare(kind.bytes, total)}`}
            data-row-kind={kind.tone}
            data-byte-kind={kind.name}
            style={{ flexGrow: kind.bytes / total }}
          />
        ))}
      </div>
      <ul className="flight-kind-list" aria-label="What the bytes are">
        {kinds.map((kind) => (
          <li key={kind.name}>
            <a href={formatMapHash('kinds', kind.name)} data-row-kind={kind.tone} data-byte-kind={kind.name}>
              <span className="flight-kind">{kind.name}</span> <strong>{formatShare(kind.bytes, total)}</strong>{' '}
              <span className="text-quiet">{formatBytes(kind.bytes)}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
