import '../token-colors.css';

import { useCallback, useEffect, useId, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';

import { type Flight, findRow, readTokens, readValuePath, type Row, type Token } from '#flight';

import type { Place } from '../opened-flight.ts';
import { useAddresses } from '../viewer-addresses.ts';
import { WindowedList } from '../windowed-list.tsx';
import { moveToken } from './move-token.ts';
import { countRawLines, readTextLine, type RawRange, type RawSpan, type TokenReader } from './raw-lines.ts';
import { TokenNote } from './token-note.tsx';

type RawTokensProps = {
  readonly flight: Flight;
  readonly row: Row;
  readonly range: RawRange;
  readonly perLine: number;
  readonly litLine: number | undefined;
  readonly onSelect: (place: Place) => void;
};

/** How long the pointer rests before a note comes, and before it goes: a way across a line must not flicker. */
const showMs = 120;
const hideMs = 200;

/** The token that a piece on the screen belongs to. */
function readPiece(target: EventTarget, tokens: TokenReader): Token | undefined {
  const piece = target instanceof Element ? target.closest<HTMLElement>('[data-start]') : null;
  const start = Number(piece?.dataset['start']);
  return piece ? tokens(start, start + 1)[0] : undefined;
}

/** The row as text, in which each token says what it is: when it is pointed at, tapped, or reached with the arrow keys. */
export function RawTokens({ flight, row, range, perLine, litLine, onSelect }: RawTokensProps) {
  const id = useId();
  const { protocol } = useAddresses();
  const frame = useRef<HTMLDivElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [noted, setNoted] = useState<Token>();
  /** Where the keys are. Something that is lit later takes the list to its own line. */
  const [keyed, setKeyed] = useState<{ readonly token: Token; readonly lit: RawRange['lit'] }>();
  const current = keyed?.lit === range.lit ? keyed?.token : undefined;
  const read: TokenReader = (from, to) => readTokens(flight, row.row, from, to);

  const later = useCallback((ms: number, token: Token | undefined) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setNoted(token), ms);
  }, []);
  const stay = useCallback(() => clearTimeout(timer.current), []);
  const close = useCallback(() => {
    clearTimeout(timer.current);
    setNoted(undefined);
  }, []);

  useEffect(() => stay, [stay]);

  function point(event: PointerEvent) {
    if (event.pointerType !== 'mouse') return;
    const token = readPiece(event.target, read);
    if (token?.start === noted?.start) stay();
    else later(token ? showMs : hideMs, token);
  }

  function show(token: Token | undefined) {
    clearTimeout(timer.current);
    setNoted(token);
    setKeyed(token && { token, lit: range.lit });
  }

  function handleKey(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const token = moveToken(event.key, current, read, range, perLine);
    if (token) show(token);
    else if (event.key === 'Enter' && current) followToken(flight, row, current, onSelect);
    else return;
    event.preventDefault();
  }

  const line = current ? Math.floor((current.start - range.start) / perLine) : litLine;
  return (
    <div
      ref={frame}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) close();
      }}
    >
      <WindowedList
        count={countRawLines(range, perLine)}
        lineHeight={20}
        current={line}
        className="flight-raw"
        attributes={{
          tabIndex: 0,
          role: 'group',
          'aria-label': 'Tokens of the row',
          'aria-describedby': `${id}-keys`,
          ...(current ? { 'aria-activedescendant': `${id}-${current.start}` } : {}),
          onKeyDown: handleKey,
          onPointerOver: point,
          onPointerLeave: (event) => event.pointerType === 'mouse' && later(hideMs, undefined),
          // Whoever selects text wants to copy it.
          onClick: (event) => getSelection()?.isCollapsed === false || show(readPiece(event.target, read)),
        }}
      >
        {(index) => (
          <div key={index} className="flight-raw-line">
            <span className="flight-raw-offset">{range.start + index * perLine}</span>
            <span>
              <Pieces
                spans={readTextLine(flight.bytes, range, index, perLine, read)}
                from={range.start + index * perLine}
                id={id}
                current={current}
              />
            </span>
          </div>
        )}
      </WindowedList>
      {noted ? (
        <TokenNote
          flight={flight}
          row={row.row}
          token={noted}
          id={`${id}-note`}
          frame={frame}
          onSelect={onSelect}
          onClose={close}
          onPointerEnter={stay}
          onPointerLeave={(event) => event.pointerType === 'mouse' && later(hideMs, undefined)}
        />
      ) : null}
      <p id={`${id}-keys`} className="flight-keys">
        <kbd>←</kbd> <kbd>→</kbd> what each token is · <kbd>Enter</kbd> to the row it names
        {protocol === undefined ? null : (
          <>
            {' · '}
            <a href={protocol}>the protocol</a>
          </>
        )}
      </p>
    </div>
  );
}

type PiecesProps = {
  readonly spans: readonly RawSpan[];
  /** The line's first byte. */
  readonly from: number;
  readonly id: string;
  readonly current: Token | undefined;
};

/** A token that stands on several lines, or holds an escape, has several pieces. Its first one has its id. */
function Pieces({ spans, from, id, current }: PiecesProps) {
  return spans.map(({ text, tone, isLit, token }, index) => {
    const isCurrent = token !== undefined && token.start === current?.start;
    const isFirst = token !== undefined && token.start >= from && spans[index - 1]?.token?.start !== token.start;
    return (
      <span
        key={index}
        className={`flight-raw-${tone}`}
        data-lit={isLit || undefined}
        data-token={token?.kind}
        data-start={token?.start}
        {...(isCurrent ? { 'data-current': true, role: 'button' } : {})}
        {...(isCurrent && isFirst ? { id: `${id}-${token.start}`, 'aria-describedby': `${id}-note` } : {})}
      >
        {text}
      </span>
    );
  });
}

/** Goes to the row that a token refers to. */
function followToken(flight: Flight, row: Row, { start, kind }: Token, onSelect: (place: Place) => void): void {
  const value = kind === 'form' ? readValuePath(flight, row.row, start)?.value : undefined;
  const target = value && 'id' in value ? findRow(flight.rows, value.id) : undefined;
  if (target !== undefined) onSelect({ row: target });
}
