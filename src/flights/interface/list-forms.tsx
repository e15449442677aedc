'use client';

import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';

import { formatCount } from '#flight';
import { deleteRecording } from '#src/flights/actions/delete-recording.ts';
import { flightsDiffPath, flightsPath } from '#src/server/http/addresses.ts';
import { useHydrated } from '#viewer/use-hydrated.ts';
import { useNavigate } from '#src/runtime/navigation/use-navigate.ts';

import { formatFlightQuery, parseFlightQuery } from './flight-query.ts';

/**
 * The three forms of the list: the filter, the ticks of two flights to compare, the deletion of all. They are plain forms without
 * JavaScript. They share a file because each file of the browser costs a line in what every page loads first.
 */

/** Between two keys of somebody who types slowly. */
const pauseMs = 300;

type ApplyAsTypedProps = {
  /** `?…` that the fields say, as they came with the page. */
  readonly search: string;
  readonly hasFilter: boolean;
  readonly children: ReactNode;
};

type Fields = {
  /** The address with which the page came last. */
  readonly shown: string;
  /** Addresses to which this form led, and whose pages did not come yet. */
  readonly sent: readonly string[];
  /** Whether this form led to the page that is shown. */
  readonly isOwn: boolean;
  /** Another number makes the fields anew. */
  readonly epoch: number;
};

function readSearch(form: HTMLFormElement): string {
  const fields = [...new FormData(form)].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  return formatFlightQuery(parseFlightQuery(new URLSearchParams(fields).toString()));
}

/**
 * A page came: of this form, then the fields keep what was typed since; or of a link, or by going back, then they show what its
 * address says.
 */
function arrive(fields: Fields, search: string): Fields {
  const at = fields.sent.lastIndexOf(search);
  if (at === -1) return { shown: search, sent: [], isOwn: false, epoch: fields.epoch + 1 };
  return { ...fields, shown: search, sent: fields.sent.slice(at + 1), isOwn: true };
}

/** The fields, on a narrow screen behind one line. Once it is there, only its reader opens and closes it. */
function Fold({ isOpen, children }: { isOpen: boolean; children: ReactNode }) {
  const [wasOpen] = useState(isOpen);
  return (
    <details className="filters-fold" open={wasOpen}>
      <summary>Filter</summary>
      <div className="filters">{children}</div>
    </details>
  );
}

/**
 * The form of a filter: what is typed or chosen becomes the list's address, without a button and without a new document. Without
 * JavaScript it is a plain form with a button, and the same address.
 */
export function ApplyAsTyped({ search, hasFilter, children }: ApplyAsTypedProps) {
  const { push, replace } = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [fields, setFields] = useState<Fields>({ shown: search, sent: [], isOwn: false, epoch: 0 });
  if (fields.shown !== search) setFields(arrive(fields, search));

  /** As they are when the pause ends, not when it began. */
  const latest = useRef(fields);
  useEffect(() => {
    latest.current = fields;
  }, [fields]);
  useEffect(() => () => clearTimeout(timer.current), []);

  function apply(): void {
    clearTimeout(timer.current);
    const { shown, sent, isOwn } = latest.current;
    const next = form.current ? readSearch(form.current) : shown;
    if (next === (sent.at(-1) ?? shown)) return;
    setFields((now) => ({ ...now, sent: [...now.sent, next] }));
    // One step back leads out of the filter, however many keys it took.
    const go = isOwn || sent.length > 0 ? replace : push;
    void go(`${flightsPath}${next}`, { scroll: false });
  }

  function applySoon(event: FormEvent): void {
    clearTimeout(timer.current);
    const isTyped = event.target instanceof HTMLInputElement && event.target.type === 'text';
    timer.current = setTimeout(apply, isTyped ? pauseMs : 0);
  }

  return (
    <form
      ref={form}
      method="get"
      action={flightsPath}
      aria-label="Filter"
      onInput={applySoon}
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <Fold key={fields.epoch} isOpen={hasFilter}>
        {children}
      </Fold>
    </form>
  );
}

function describe(ticked: number): string {
  if (ticked === 0) return 'Tick two flights to compare them.';
  return ticked > 2 ? `${ticked} ticked: two can be compared.` : `${ticked} ticked`;
}

/**
 * A click on a row opens its flight. The row's link lies under the row's texts, so that these can be selected: a click on one of them
 * is passed on, unless it ended a selection.
 */
function openRow(event: MouseEvent): void {
  const { target, ctrlKey, metaKey, shiftKey } = event;
  if (!(target instanceof Element) || target.closest('a, button, label') || !getSelection()?.isCollapsed) return;
  const link = target.closest('tbody tr')?.querySelector('.row-link');
  link?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }));
}

/** The form around a list whose rows can be ticked. Without JavaScript its button is always enabled. */
export function CompareTicked({ children }: { children: ReactNode }) {
  const form = useRef<HTMLFormElement>(null);
  const [ticked, setTicked] = useState(0);
  const isHydrated = useHydrated();

  function count(): void {
    setTicked(form.current?.querySelectorAll('[name=flight]:checked').length ?? 0);
  }

  // After every rendering: rows come and go, and a browser that comes back ticks what was ticked.
  useEffect(count);

  // No handler of the form: for keys and for readers of the screen, the row's link is what opens it.
  useEffect(() => {
    const rows = form.current;
    rows?.addEventListener('click', openRow);
    return () => rows?.removeEventListener('click', openRow);
  }, []);

  return (
    <form ref={form} method="get" action={flightsDiffPath} aria-label="Compare" className="ticked" onChange={count}>
      {children}
      <p className="ticked-bar">
        <span role="status">{describe(ticked)}</span>
        <button type="submit" className="button-small" disabled={isHydrated && ticked !== 2}>
          Compare
        </button>
      </p>
    </form>
  );
}

/** Behind a fold, so that deleting takes two clicks, with and without JavaScript. */
export function DeleteAllFlights({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <details>
      <summary>Delete everything recorded</summary>
      <form action={deleteRecording} className="stack-2 pt-2">
        <p>
          {count === 1 ? 'The only flight is' : `All ${formatCount(count)} flights are`} deleted, from the disk too.
          Errors and their reports stay.
        </p>
        <button type="submit">Delete all flights</button>
      </form>
    </details>
  );
}
