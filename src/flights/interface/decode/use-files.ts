import { useEffect, useMemo, useRef, useState } from 'react';

import { importPart } from '#viewer/import-part.ts';
import { makeFileId } from './decode-address.ts';
import { forgetAllFiles, forgetFile, keepFile, listKeptFiles, type KeptFile } from './file-store.ts';
import { createHeld } from './hold-contents.ts';
import type { Content } from './read-content.ts';

/**
 * The files that were opened on this page or before, and what is in them. A file is listed with its blob, which costs no memory
 * when it is on the disk; what was found in a file is held for the few that were looked at last.
 */
export type OpenedFile = KeptFile & { readonly isKept: boolean };

export type Input = { readonly name: string; readonly blob: Blob; readonly isPasted: boolean };

type Problem = { readonly name: string } & Content & { readonly kind: 'problem' };

type Busy = { readonly name: string; readonly size: number; readonly index: number; readonly count: number };

export type Files = {
  /** Newest first; undefined until the browser has said which files it keeps. */
  readonly list: readonly OpenedFile[] | undefined;
  /** Why the browser does not keep files; undefined while it does. */
  readonly notKept: string | undefined;
  readonly busy: Busy | undefined;
  /** What went wrong in the files that were opened last. */
  readonly problems: readonly Problem[];
  /** Opens files one after the other. Resolves with those in which there are flights. */
  readonly open: (inputs: readonly Input[]) => Promise<readonly OpenedFile[]>;
  readonly read: (file: OpenedFile) => Promise<Content>;
  /** Resolve when it is gone from this browser. */
  readonly forget: (file: OpenedFile) => Promise<void>;
  readonly forgetAll: (files: readonly OpenedFile[]) => Promise<void>;
};

function say(error: unknown): string {
  if (error instanceof DOMException && error.name === 'QuotaExceededError') return 'there is no more room for it';
  return error instanceof Error ? error.message : String(error);
}

/** What looks for flights in files is loaded with the first one, in one file with what then shows them. */
async function readContent(blob: Blob, isPasted: boolean): Promise<Content> {
  const { findFlights } = await importPart(() => import('./decode-view.tsx'));
  return findFlights(blob, isPasted);
}

const notForgotten = { kind: 'problem', title: 'It could not be forgotten', leftOut: [] } as const;

const noDecoder: Content = {
  kind: 'problem',
  title: 'The decoder could not be loaded',
  text: 'the connection broke, or this server was updated since the page was opened. Open it once more, or reload the page first.',
  leftOut: [],
};

export function useFiles(): Files {
  const [list, setList] = useState<readonly OpenedFile[]>();
  const [notKept, setNotKept] = useState<string>();
  const [busy, setBusy] = useState<Busy>();
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const [held] = useState(() => createHeld(readContent));
  /** Batches are opened one after the other. */
  const last = useRef<Promise<unknown>>(Promise.resolve());

  useEffect(() => {
    listKeptFiles().then(
      (kept) => setList((before = []) => [...before, ...kept.map((file) => ({ ...file, isKept: true }))]),
      (error: unknown) => {
        setNotKept(say(error));
        setList((before = []) => before);
      },
    );
  }, []);

  const actions = useMemo(() => {
    async function keep(file: KeptFile): Promise<OpenedFile> {
      try {
        const kept = new Set((await keepFile(file)).map(({ id }) => id));
        // Those that were forgotten for it are listed on, for as long as this page is open.
        setList((before = []) => before.map((other) => ({ ...other, isKept: kept.has(other.id) })));
        return { ...file, isKept: true };
      } catch (error) {
        setNotKept(say(error));
        return { ...file, isKept: false };
      }
    }

    async function openOne({ name, blob, isPasted }: Input): Promise<OpenedFile | Problem> {
      const content = await readContent(blob, isPasted).catch(() => noDecoder);
      if (content.kind === 'problem') return { ...content, name };
      const id = makeFileId();
      void held.hold(id, Promise.resolve(content), blob.size);
      const file = await keep({ id, name, openedAt: Date.now(), isPasted, blob, flights: content.flights.length });
      setList((before = []) => [file, ...before]);
      return file;
    }

    async function openAll(inputs: readonly Input[]): Promise<readonly OpenedFile[]> {
      const opened: OpenedFile[] = [];
      const failed: Problem[] = [];
      setProblems([]);
      for (const [index, input] of inputs.entries()) {
        setBusy({ name: input.name, size: input.blob.size, index, count: inputs.length });
        const result = await openOne(input);
        if ('kind' in result) failed.push(result);
        else opened.push(result);
      }
      setBusy(undefined);
      setProblems(failed);
      return opened;
    }

    function open(inputs: readonly Input[]): Promise<readonly OpenedFile[]> {
      const next = last.current.then(() => openAll(inputs));
      last.current = next;
      return next;
    }

    /** What is no longer listed is gone from the disk: a reload must not bring it back. */
    async function leaveOut(files: readonly OpenedFile[], forgetting: Promise<void>): Promise<void> {
      const ids = new Set(files.map(({ id }) => id));
      for (const id of ids) held.drop(id);
      try {
        await forgetting;
        setProblems([]);
        setList((before = []) => before.filter(({ id }) => !ids.has(id)));
      } catch (error) {
        const [first, ...others] = files;
        const name = first && others.length === 0 ? first.name : 'All files';
        setProblems([{ ...notForgotten, name, text: say(error) }]);
      }
    }

    return {
      open,
      read: held.read,
      forget: (file: OpenedFile) => leaveOut([file], forgetFile(file.id)),
      forgetAll: (files: readonly OpenedFile[]) => leaveOut(files, forgetAllFiles()),
    };
  }, [held]);

  return { list, notKept, busy, problems, ...actions };
}
