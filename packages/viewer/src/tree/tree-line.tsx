import { findRow, printElementType, readElement, readHeader, readRow } from '#flight';

import { describeMore } from '../describe-more.ts';
import type { OpenedFlight, PanelProps } from '../opened-flight.ts';
import type { MoreLine, NodeLine } from '../outline.ts';
import { RowLink } from '../row-link.tsx';
import { SourceLink } from '../source-link.tsx';
import { openNode, printNode, readNodeElement, type NodeSource, type TreeNode } from './tree-source.ts';

type TreeLineProps = {
  readonly id: string;
  readonly line: NodeLine<TreeNode>;
  readonly hasMembers: boolean;
  readonly opened: OpenedFlight;
  readonly source: NodeSource | undefined;
  readonly isCurrent: boolean;
  readonly isMatch: boolean;
  /** Whether it has just come. */
  readonly isFresh: boolean;
  readonly onToggle: () => void;
  readonly onChoose: () => void;
  readonly onOpen: PanelProps['onOpen'];
};

/** Further in there is no room for text, so deeper lines are not indented further: tree-panel.css says how far. */
function indent(depth: number): Record<string, number> {
  return { '--depth': depth };
}

/** A line of the tree. */
export function TreeLine(props: TreeLineProps) {
  const { id, line, hasMembers, opened, source, isCurrent, isMatch, isFresh, onToggle, onChoose, onOpen } = props;
  return (
    <div
      id={id}
      role="treeitem"
      // Chosen by pointer. With the keyboard it is chosen from the tree, which has the focus.
      tabIndex={-1}
      aria-level={line.depth + 1}
      aria-posinset={line.index + 1}
      aria-setsize={line.total}
      aria-selected={isCurrent}
      {...(hasMembers ? { 'aria-expanded': line.isOpen } : {})}
      className="flight-value-line flight-tree-line"
      style={indent(line.depth)}
      data-lit={isCurrent || undefined}
      data-match={isMatch || undefined}
      data-fresh={isFresh || undefined}
    >
      {hasMembers ? (
        <button
          type="button"
          tabIndex={-1}
          className="flight-toggle"
          aria-label={line.isOpen ? 'Close' : 'Open'}
          onClick={onToggle}
        >
          {line.isOpen ? '▾' : '▸'}
        </button>
      ) : (
        <span className="flight-toggle" />
      )}
      <button type="button" tabIndex={-1} className="flight-value-text" onClick={onChoose} onDoubleClick={onToggle}>
        {line.name === undefined ? null : <span className="flight-value-name">{line.name}</span>}
        <NodeText node={line.node} />
      </button>
      {source === undefined ? null : (
        <span className="flight-value-size flight-tree-source">
          <SourceLink place={source.place}>{source.text}</SourceLink>
        </span>
      )}
      <NodeTarget node={line.node} opened={opened} onOpen={onOpen} />
    </div>
  );
}

/** Whether an element is of a client component: its type is a module's row. */
function isClientElement(node: TreeNode): boolean {
  const element = readNodeElement(node);
  if (!element) return false;
  const { flight, value } = element;
  const { type } = readElement(flight, value);
  if (type.kind !== 'lazy' && type.kind !== 'reference') return false;
  const row = findRow(flight.rows, type.id);
  return row !== undefined && readRow(flight, row).kind === 'module';
}

function NodeText({ node }: { readonly node: TreeNode }) {
  const part = openNode(node);
  const label = printNode(node);
  if (node.kind === 'props') return <span className="text-quiet">{label}</span>;
  switch (part.kind) {
    case 'waiting':
      return (
        <span className="px-[0.5em] border border-dashed border-line-strong rounded-sm text-quiet italic">{label}</span>
      );
    case 'row': {
      const isError = readRow(part.flight, part.row).kind === 'error';
      return <span className={isError ? 'flight-missing' : undefined}>{label}</span>;
    }
    case 'number':
      return <span data-value-kind="number">{label}</span>;
    case 'invalid':
      return <span className="flight-missing">{label}</span>;
    case 'value':
      return (
        <span data-value-kind={part.value.kind}>
          {label}
          {isClientElement(node) ? <span className="flight-tree-client">client</span> : null}
        </span>
      );
  }
}

/** For a waiting place: the row it waits for, when the flight has it later. For a row that is no value: the row. */
function NodeTarget({ node, opened, onOpen }: Pick<TreeLineProps, 'opened' | 'onOpen'> & { readonly node: TreeNode }) {
  const part = openNode(node);
  const { flight } = part;
  if (part.kind === 'waiting') {
    const row = findRow(flight.rows, part.id);
    if (row === undefined || row < part.came) return <span className="flight-missing">never came</span>;
    return (
      <RowLink flight={flight} row={row} onSelect={onOpen}>
        {`came with row ${part.id.toString(16)}`}
      </RowLink>
    );
  }
  // Rows of a payload within the payload are not in the list of rows.
  if (part.kind !== 'row' || flight !== opened.flight) return null;
  return (
    <RowLink flight={flight} row={part.row} onSelect={onOpen}>
      {readHeader(flight.rows, part.row).id.toString(16)}
    </RowLink>
  );
}

type TreeMoreProps = {
  readonly id: string;
  readonly line: MoreLine;
  readonly isCurrent: boolean;
  readonly onMore: () => void;
};

/** Members that are not shown, and how to see them. */
export function TreeMore({ id, line, isCurrent, onMore }: TreeMoreProps) {
  return (
    <div
      id={id}
      role="treeitem"
      tabIndex={-1}
      aria-level={line.depth + 1}
      aria-posinset={line.from + 1}
      aria-setsize={line.total}
      aria-selected={isCurrent}
      className="flight-value-line flight-tree-line"
      style={indent(line.depth)}
      data-lit={isCurrent || undefined}
    >
      <button type="button" tabIndex={-1} className="flight-more" onClick={onMore}>
        {describeMore(line.to - line.from)}
      </button>
    </div>
  );
}

/** The name of a line's element, for finding its client module's source; undefined for others. */
export function readTypeName(node: TreeNode): string | undefined {
  const element = readNodeElement(node);
  return element && printElementType(element.flight, readElement(element.flight, element.value).type);
}
