import './token-note.css';

import { useEffect, useLayoutEffect, useRef, useState, type PointerEventHandler, type RefObject } from 'react';

import type { Flight, Token } from '#flight';
import { importPart } from '../import-part.ts';

import type { Place } from '../opened-flight.ts';
import { RowLink } from '../row-link.tsx';
import { useAddresses } from '../viewer-addresses.ts';
import type { TokenNote as Note } from './explain-token.ts';

/** The space to the edges of the window, in pixels. */
const margin = 8;

type TokenNoteProps = {
  readonly flight: Flight;
  readonly row: number;
  readonly token: Token;
  readonly id: string;
  /** What the token's pieces are in. */
  readonly frame: RefObject<HTMLElement | null>;
  readonly onSelect: (place: Place) => void;
  readonly onClose: () => void;
  readonly onPointerEnter: PointerEventHandler;
  readonly onPointerLeave: PointerEventHandler;
};

type Explain = (flight: Flight, row: number, token: Token) => Note;

/** The words are loaded with the first note: without one, nobody needs them. */
let loaded: Explain | undefined;

function useExplanation({ flight, row, token }: Pick<TokenNoteProps, 'flight' | 'row' | 'token'>) {
  const [explain, setExplain] = useState<Explain | 'failed' | undefined>(() => loaded);
  useEffect(() => {
    if (loaded) return;
    async function load() {
      try {
        const module = await importPart(() => import('./explain-token.ts'));
        loaded = module.explainToken;
        setExplain(() => module.explainToken);
      } catch {
        setExplain('failed');
      }
    }
    void load();
  }, []);
  return typeof explain === 'function' ? explain(flight, row, token) : explain;
}

/** Beside the first visible piece of the token: below it, or above where there is no room. False when none is visible. */
function placeNote(note: HTMLElement, frame: HTMLElement, token: Token): boolean {
  const piece = frame.querySelector(`[data-start="${token.start}"]`);
  const view = frame.querySelector('.flight-scroller')?.getBoundingClientRect();
  if (!piece || !view) return false;
  const { left, top, bottom } = piece.getBoundingClientRect();
  if (bottom < view.top || top > view.bottom) return false;
  const { offsetWidth: width, offsetHeight: height } = note;
  const hasRoom = bottom + height + margin < window.innerHeight;
  note.style.left = `${Math.max(margin, Math.min(left, document.documentElement.clientWidth - width - margin))}px`;
  note.style.top = `${hasRoom ? bottom : Math.max(margin, top - height)}px`;
  return true;
}

/**
 * Says what a token is, beside it. It is in the top layer, because the list in which the token stands cuts what is larger.
 * The pointer may go into it, Escape closes it, and Tab leads to its links (WCAG 1.4.13).
 */
export function TokenNote(props: TokenNoteProps) {
  const { flight, token, id, frame, onSelect, onClose, onPointerEnter, onPointerLeave } = props;
  const element = useRef<HTMLDivElement>(null);
  const note = useExplanation(props);

  useLayoutEffect(() => {
    element.current?.showPopover();
  }, []);

  useLayoutEffect(() => {
    function place() {
      if (element.current && frame.current && !placeNote(element.current, frame.current, token)) onClose();
    }
    // A list that scrolls to the token draws it in the next frame.
    const frameId = requestAnimationFrame(place);
    // Its text comes later than itself.
    const observer = new ResizeObserver(place);
    if (element.current) observer.observe(element.current);
    window.addEventListener('scroll', place, true);
    window.addEventListener('resize', place);
    return () => {
      cancelAnimationFrame(frameId);
      observer.disconnect();
      window.removeEventListener('scroll', place, true);
      window.removeEventListener('resize', place);
    };
  }, [frame, token, onClose]);

  useEffect(() => {
    function close(event: KeyboardEvent) {
      if (event.key === 'Escape') onClose();
    }
    document.addEventListener('keydown', close);
    return () => document.removeEventListener('keydown', close);
  }, [onClose]);

  return (
    <div
      ref={element}
      id={id}
      popover="manual"
      role="status"
      className="flight-token-note"
      onPointerEnter={onPointerEnter}
      onPointerLeave={onPointerLeave}
    >
      {note === undefined ? <p>…</p> : null}
      {note === 'failed' ? <p>The explanations could not be loaded.</p> : null}
      {typeof note === 'object' ? <NoteText note={note} flight={flight} onSelect={onSelect} /> : null}
    </div>
  );
}

type NoteTextProps = Pick<TokenNoteProps, 'flight' | 'onSelect'> & { readonly note: Note };

function NoteText({ note, flight, onSelect }: NoteTextProps) {
  const { name, says, anchor, here, target } = note;
  const { protocol } = useAddresses();
  return (
    <>
      <p>
        <strong>{name}</strong>
        {target ? (
          <>
            {' to '}
            {target.row === undefined ? (
              `row ${target.id}`
            ) : (
              <RowLink flight={flight} row={target.row} onSelect={onSelect}>{`row ${target.id}`}</RowLink>
            )}
            , <code>{target.text}</code>
          </>
        ) : null}
      </p>
      {here === undefined ? null : <p>{here}</p>}
      {says === undefined ? null : <p className="text-quiet">{says}</p>}
      {anchor === undefined || protocol === undefined ? null : (
        <p>
          <a href={`${protocol}#${anchor}`} target="_blank" rel="noreferrer">
            More about it
          </a>
        </p>
      )}
    </>
  );
}
