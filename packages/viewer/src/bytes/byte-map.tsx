import { useId, useMemo, useState } from 'react';

import { ByteParts } from './byte-parts.tsx';
import type { ByteViewId, ByteViews } from './byte-views.ts';
import { parseMapHash } from './map-hash.ts';
import type { MapNode } from './map-node.ts';
import { MapLegend, MapReadout } from './map-readout.tsx';
import type { PanelProps } from '../opened-flight.ts';
import { createMapOpener, type MapOpener } from './open-map-node.ts';
import { Treemap } from './treemap.tsx';
import type { Understood } from '../understand-task.ts';

const viewNames: readonly { id: ByteViewId; name: string; says: string }[] = [
  {
    id: 'nesting',
    name: 'By element',
    says: 'Elements inside elements. Siblings that are alike are one box, and so is a chain of wrappers.',
  },
  { id: 'names', name: 'By name', says: 'All elements of one name together; inside, their props.' },
  { id: 'kinds', name: 'By kind', says: 'What the bytes are used for; inside, the elements that they are in.' },
  { id: 'rows', name: 'By row', says: 'The rows as they were sent, by their kind.' },
];

type ByteMapProps = Pick<PanelProps, 'opened' | 'onOpen'> & { readonly understood: Understood };

/** The step of a path from a folded node to what is folded into it, one by one. Other steps are children. */
const unfolded = -1;

/** The nodes from the payload down to the one at the end of the path, each opened. */
function readTrail(root: MapNode, path: readonly number[], { open, unfold }: MapOpener): MapNode[] {
  const trail = [open(root)];
  for (const step of path) {
    const last = trail.at(-1);
    const next = step === unfolded ? last && unfold(last) : last?.children[step];
    if (!next) return trail;
    trail.push(open(next));
  }
  return trail;
}

/** What the map shows at first: what the address asks for, or everything. */
function readStart(views: ByteViews): { view: ByteViewId; path: readonly number[] } {
  const { view = 'nesting', part } = parseMapHash(globalThis.location?.hash ?? '');
  const index = part === undefined ? -1 : views[view].children.findIndex(({ name }) => name === part);
  const isOpen = (views[view].children[index]?.children.length ?? 0) > 0;
  return { view, path: isOpen ? [index] : [] };
}

type MapTrailProps = { readonly trail: readonly MapNode[]; readonly onGo: (depth: number) => void };

/** Shows where the map is in the payload. Each step leads back to its level. */
function MapTrail({ trail, onGo }: MapTrailProps) {
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

/** The treemap, the path to what it shows, and the same bytes as a table. */
export function ByteMap({ opened, onOpen, understood }: ByteMapProps) {
  const id = useId();
  const { views, sums, total } = understood;
  const [start] = useState(() => readStart(views));
  const [view, setView] = useState<ByteViewId>(start.view);
  const [path, setPath] = useState<readonly number[]>(start.path);
  const [current, setCurrent] = useState(0);
  const [pinned, setPinned] = useState<MapNode>();
  const [pointed, setPointed] = useState<MapNode>();
  const opener = useMemo(() => createMapOpener(opened.flight, sums), [opened.flight, sums]);
  const trail = readTrail(views[view], path, opener);
  const node = trail.at(-1) ?? views[view];

  function zoom(to: readonly number[], from = 0) {
    setPath(to);
    setCurrent(from);
    setPinned(undefined);
    setPointed(undefined);
  }

  /** Opens a node that has something inside. Any other node is shown beside the map. */
  function choose(inner: readonly number[]) {
    const chosen = readTrail(node, inner, opener).at(-1);
    if (!chosen) return;
    if (chosen.children.length > 0) zoom([...path, ...inner]);
    else {
      if (inner.length === 1) setCurrent(inner[0] ?? 0);
      setPinned(chosen);
    }
  }

  const told = pointed ?? pinned ?? node;
  /** From the node that the readout is about, when it is here or one of the children. */
  function unfold() {
    const child = node.children.indexOf(told);
    if (child >= 0) zoom([...path, child, unfolded]);
    else if (told === node) zoom([...path, unfolded]);
  }

  return (
    <section className="panel overflow-hidden" aria-label="Map of the bytes">
      <div className="flight-toolbar">
        <div role="group" aria-label="Arrange the bytes" className="flight-switch flight-map-switch">
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
        <p className="min-w-0 flex-1 basis-72 text-sm text-quiet">{viewNames.find((one) => one.id === view)?.says}</p>
      </div>
      <MapTrail trail={trail} onGo={(depth) => zoom(path.slice(0, depth), Math.max(path[depth] ?? 0, 0))} />
      {node.children.length === 0 ? (
        <p className="px-3 pb-3 text-quiet">There are no bytes to show.</p>
      ) : (
        <Treemap
          key={view}
          node={node}
          total={total}
          current={current}
          describedBy={`${id}-keys`}
          onCurrent={(child) => {
            setCurrent(child);
            setPinned(node.children[child]);
          }}
          onPoint={setPointed}
          onChoose={choose}
          onUp={() => {
            if (path.length > 0) zoom(path.slice(0, -1), Math.max(path.at(-1) ?? 0, 0));
          }}
        />
      )}
      <MapReadout
        opened={opened}
        onOpen={onOpen}
        node={told}
        total={total}
        onUnfold={told === node || node.children.includes(told) ? unfold : undefined}
      />
      <MapLegend node={node} />
      <p id={`${id}-keys`} className="flight-keys">
        <kbd>←</kbd> <kbd>→</kbd> move · <kbd>Enter</kbd> open · <kbd>Esc</kbd> back
      </p>
      <ByteParts key={`${view} ${path.join('.')}`} node={node} total={total} onChoose={choose} />
    </section>
  );
}
