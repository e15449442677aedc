import { useId, useState } from 'react';

import { estimateCompressed, formatBytes, formatShare } from '#flight';

import { ByteParts } from './byte-parts.tsx';
import type { ByteViewId, MapNode } from './byte-views.ts';
import type { PanelProps } from '../opened-flight.ts';
import { PlaceLink } from '../place-link.tsx';
import { Treemap } from './treemap.tsx';
import type { Understood } from '../understand-task.ts';
import { useGzipSize } from '../use-gzip-size.ts';

const viewNames: readonly { id: ByteViewId; name: string; says: string }[] = [
  {
    id: 'nesting',
    name: 'Nested',
    says: 'Each part is inside the part that holds it; a row is where it is first used.',
  },
  { id: 'elements', name: 'By element', says: 'All elements of one name together; inside, their props.' },
  { id: 'kinds', name: 'By kind', says: 'What the bytes are used for.' },
  { id: 'rows', name: 'By row', says: 'The rows as they were sent, by their kind.' },
];

type ByteMapProps = Pick<PanelProps, 'opened' | 'onOpen'> & { readonly understood: Understood };

/** The nodes from the payload down to the one at the end of the path. */
function readTrail(root: MapNode, path: readonly number[]): MapNode[] {
  const trail = [root];
  for (const index of path) {
    const next = trail.at(-1)?.children[index];
    if (!next) return trail;
    trail.push(next);
  }
  return trail;
}

/** The treemap, the path to what it shows, and the same bytes as a table. */
export function ByteMap({ opened, onOpen, understood }: ByteMapProps) {
  const id = useId();
  const [view, setView] = useState<ByteViewId>('nesting');
  const [path, setPath] = useState<readonly number[]>([]);
  const [current, setCurrent] = useState(0);
  const [pinned, setPinned] = useState<MapNode>();
  const [pointed, setPointed] = useState<MapNode>();
  const trail = readTrail(understood.views[view], path);
  const node = trail.at(-1) ?? understood.views[view];

  function zoom(to: readonly number[], from = 0) {
    setPath(to);
    setCurrent(from);
    setPinned(undefined);
    setPointed(undefined);
  }

  /** Opens a node that has children. Any other node is shown beside the map. */
  function choose(inner: readonly number[]) {
    const chosen = readTrail(node, inner).at(-1);
    if (!chosen) return;
    if (chosen.children.length > 0) zoom([...path, ...inner]);
    else {
      if (inner.length === 1) setCurrent(inner[0] ?? 0);
      setPinned(chosen);
    }
  }

  return (
    <section className="panel flight-rows" aria-label="Map of the bytes">
      <div className="flight-toolbar">
        <div role="group" aria-label="Arrange the bytes" className="flight-switch">
          {viewNames.map((one) => (
            <button
              key={one.id}
              type="button"
              aria-pressed={one.id === view}
              onClick={() => {
                setView(one.id);
                zoom([]);
              }}
            >
              {one.name}
            </button>
          ))}
        </div>
        <p className="text-sm text-quiet">{viewNames.find((one) => one.id === view)?.says}</p>
      </div>
      <Trail trail={trail} onGo={(depth) => zoom(path.slice(0, depth), path[depth])} />
      <Treemap
        key={view}
        node={node}
        total={understood.total}
        current={current}
        onCurrent={(child) => {
          setCurrent(child);
          setPinned(node.children[child]);
        }}
        onPoint={setPointed}
        onChoose={choose}
        onUp={() => {
          if (path.length > 0) zoom(path.slice(0, -1), path.at(-1));
        }}
      />
      <Readout opened={opened} onOpen={onOpen} node={pointed ?? pinned ?? node} total={understood.total} />
      <Legend node={node} />
      <p id={`${id}-keys`} className="flight-keys">
        <kbd>←</kbd> <kbd>→</kbd> move · <kbd>Enter</kbd> open · <kbd>Esc</kbd> back
      </p>
      <ByteParts key={`${view} ${path.join('.')}`} node={node} total={understood.total} onChoose={choose} />
    </section>
  );
}

/** Where the map is in the payload. Each step leads back to its level. */
function Trail({ trail, onGo }: { readonly trail: readonly MapNode[]; readonly onGo: (depth: number) => void }) {
  const last = trail.length - 1;
  return (
    <nav aria-label="Where in the payload" className="flight-map-trail">
      <ol>
        {trail.map((node, depth) => (
          <li key={depth}>
            {depth === last ? (
              <span aria-current="location">{node.name}</span>
            ) : (
              <button type="button" onClick={() => onGo(depth)}>
                {node.name}
              </button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

type ReadoutProps = Pick<PanelProps, 'opened' | 'onOpen'> & { readonly node: MapNode; readonly total: number };

/** The node that is pointed at, chosen or shown: its full size, and a link to its bytes. */
function Readout({ opened, onOpen, node, total }: ReadoutProps) {
  const gzip = useGzipSize(opened);
  const wire = gzip === undefined ? undefined : estimateCompressed(node.bytes, total, gzip);
  return (
    <p className="flight-readout flight-map-readout">
      <strong className="flight-map-name">{node.name}</strong>
      <span className="text-quiet">{node.what}</span>
      <span>
        {formatBytes(node.bytes)}, {formatShare(node.bytes, total)}
      </span>
      {wire === undefined ? null : <span className="text-quiet">about {formatBytes(wire)} with gzip</span>}
      {node.place === undefined ? null : (
        <PlaceLink flight={opened.flight} place={node.place} onOpen={onOpen}>
          Show the bytes
        </PlaceLink>
      )}
    </p>
  );
}

/** Only the kinds that are drawn here, not all possible ones. */
function readLegend(node: MapNode): MapNode[] {
  const found = new Map<string, MapNode>();
  const open = [...node.children];
  for (let next = open.pop(); next; next = open.pop()) {
    if (!found.has(next.what)) found.set(next.what, next);
    open.push(...next.children);
  }
  return [...found.values()];
}

function Legend({ node }: { readonly node: MapNode }) {
  return (
    <ul className="flight-map-legend" aria-label="Colours">
      {readLegend(node).map(({ what, tone }) => (
        <li key={what} className="flight-kind" data-row-kind={tone}>
          {what}
        </li>
      ))}
    </ul>
  );
}
