import type { Writable } from 'node:stream';

import { createHeadFinder } from './find-head.ts';
import { openPrepender, type Prepender } from './prepend-packed.ts';
import { createRecoder, type Coding, type Recoder } from './recode.ts';

/**
 * A page on its way to the client, with a text put in where its head begins. Bytes go on as they come: nothing is held back to look for the
 * head, and what the app flushes is flushed. A page in gzip that begins as React writes it gets the text at its beginning, and goes on as
 * it is; any other compressed page is unpacked and packed again in its own coding.
 */
export type BodyRewriter = {
  /** @returns false: wait for `onFree` */
  readonly write: (bytes: Uint8Array) => boolean;
  /** Sends what is left, then calls `done`. Damaged bytes of the app end the page there. */
  readonly end: (done: (isWhole: boolean) => void) => void;
  /** The client takes more. */
  readonly resume: () => void;
  /** The client is gone. */
  readonly discard: () => void;
};

export type Rewriting = {
  readonly outgoing: Writable;
  readonly coding: Coding | 'identity';
  readonly text: string;
  readonly onFree: () => void;
  /** Called once where the page has no head: then it goes on unchanged. */
  readonly onNoHead: () => void;
};

/** @returns puts the text in where it belongs */
function createInserter({ text, onNoHead }: Rewriting): (bytes: Uint8Array) => Uint8Array {
  const findHead = createHeadFinder();
  let isOver = false;
  return function insert(bytes) {
    if (isOver) return bytes;
    const at = findHead(bytes);
    if (at === 'more') return bytes;
    isOver = true;
    // As one piece: each is framed for itself.
    if (typeof at === 'number') return Buffer.concat([bytes.subarray(0, at), Buffer.from(text), bytes.subarray(at)]);
    onNoHead();
    return bytes;
  };
}

function rewritePlain(rewriting: Rewriting): BodyRewriter {
  const insert = createInserter(rewriting);
  return {
    write: (bytes) => rewriting.outgoing.write(insert(bytes)),
    end: (done) => done(true),
    resume: rewriting.onFree,
    discard: () => undefined,
  };
}

function rewritePacked(rewriting: Rewriting, coding: Coding): BodyRewriter {
  const { outgoing, onFree } = rewriting;
  const insert = createInserter(rewriting);
  let recoder: Recoder | undefined;
  let finish: ((isWhole: boolean) => void) | undefined;
  let isBroken = false;

  function over(isWhole: boolean): void {
    finish?.(isWhole);
    finish = undefined;
  }

  function open(first: Uint8Array): Recoder {
    const opened = createRecoder(coding, first);
    const { decoder, encoder } = opened;
    decoder.on('data', (bytes: Buffer) => {
      if (!encoder.write(insert(bytes))) decoder.pause();
    });
    encoder.on('drain', () => decoder.resume());
    encoder.on('data', (bytes: Buffer) => {
      if (!outgoing.write(bytes)) encoder.pause();
    });
    decoder.on('drain', onFree);
    // A page that the app broke off ends here too: what could be unpacked goes out.
    decoder.on('error', () => {
      isBroken = true;
      encoder.end();
      onFree();
    });
    decoder.on('end', () => encoder.end());
    encoder.on('end', () => over(!isBroken));
    return opened;
  }

  return {
    write(bytes) {
      if (isBroken) return true;
      recoder ??= open(bytes);
      return recoder.decoder.write(bytes, recoder.flush);
    },
    end(done) {
      if (!recoder) return done(true);
      finish = done;
      if (isBroken && recoder.encoder.readableEnded) over(false);
      else if (!isBroken) recoder.decoder.end();
    },
    resume: () => void recoder?.encoder.resume(),
    discard() {
      finish = undefined;
      recoder?.decoder.destroy();
      recoder?.encoder.destroy();
    },
  };
}

function rewritePrepended({ outgoing, onFree }: Rewriting, prepender: Prepender): BodyRewriter {
  return {
    write: (bytes) => outgoing.write(prepender.next(bytes)),
    end(done) {
      outgoing.write(prepender.end());
      done(true);
    },
    resume: onFree,
    discard: () => undefined,
  };
}

/** Which way shows in its first bytes. What is too little to say is nothing that a browser could show. */
function rewriteGzip(rewriting: Rewriting): BodyRewriter {
  let chosen: BodyRewriter | undefined;
  let begun: Buffer = Buffer.alloc(0);

  function choose(isMore: boolean): BodyRewriter | undefined {
    const prepender = openPrepender(begun, rewriting.text);
    if (prepender === 'more' && isMore) return undefined;
    return typeof prepender === 'object' ? rewritePrepended(rewriting, prepender) : rewritePacked(rewriting, 'gzip');
  }

  return {
    write(bytes) {
      if (chosen) return chosen.write(bytes);
      begun = Buffer.concat([begun, bytes]);
      chosen = choose(true);
      return chosen?.write(begun) ?? true;
    },
    end(done) {
      if (!chosen && begun.length > 0) {
        chosen = choose(false);
        chosen?.write(begun);
      }
      if (chosen) chosen.end(done);
      else done(true);
    },
    resume: () => chosen?.resume(),
    discard: () => chosen?.discard(),
  };
}

export function rewriteBody(rewriting: Rewriting): BodyRewriter {
  const { coding } = rewriting;
  switch (coding) {
    case 'identity':
      return rewritePlain(rewriting);
    case 'gzip':
      return rewriteGzip(rewriting);
    case 'deflate':
    case 'br':
    case 'zstd':
      return rewritePacked(rewriting, coding);
  }
}
