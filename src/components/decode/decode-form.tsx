import { useEffect, useId, useRef, useState, type FormEvent } from 'react';

import { useHydrated } from '#src/runtime/errors/use-hydrated.ts';

type DecodeFormProps = {
  readonly onText: (text: string, name: string) => void;
  readonly onFile: (file: File) => void;
  readonly isBusy: boolean;
};

/** The HTML with which this tab was opened, scripts included: a real payload, without a request for it. */
function readThisPage(): string {
  return `<!DOCTYPE html>${document.documentElement.outerHTML}`;
}

/**
 * Takes a flight by pasting, dropping or choosing a file. Pasted text is decoded at once and never put into the field:
 * a browser needs seconds to lay out 5 MB on one line. Files may be dropped anywhere, because a browser leaves the page
 * for a file that misses the field.
 */
export function DecodeForm({ onText, onFile, isBusy }: DecodeFormProps) {
  const id = useId();
  const isHydrated = useHydrated();
  const fileInput = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);

  useEffect(() => {
    function take(event: Event, data: DataTransfer | null) {
      const file = data?.files[0];
      const text = data?.getData('text/plain') ?? '';
      if (!file && text === '') return;
      event.preventDefault();
      if (file) onFile(file);
      else onText(text, 'Pasted text');
    }
    const paste = (event: ClipboardEvent) => take(event, event.clipboardData);
    const drop = (event: DragEvent) => {
      setIsOver(false);
      take(event, event.dataTransfer);
    };
    const over = (event: DragEvent) => {
      event.preventDefault();
      setIsOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setIsOver(false);
    };
    document.addEventListener('paste', paste);
    document.addEventListener('drop', drop);
    document.addEventListener('dragover', over);
    document.addEventListener('dragleave', leave);
    return () => {
      document.removeEventListener('paste', paste);
      document.removeEventListener('drop', drop);
      document.removeEventListener('dragover', over);
      document.removeEventListener('dragleave', leave);
    };
  }, [onText, onFile]);

  function decodeTyped(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const text = new FormData(event.currentTarget).get('text');
    if (typeof text === 'string') onText(text, 'Typed text');
  }

  return (
    <form className="decode-form" data-over={isOver || undefined} onSubmit={decodeTyped}>
      <label htmlFor={`${id}-text`} className="text-lg">
        Paste a payload, an HTML page, a HAR, an exported flight or an action’s request
      </label>
      <textarea
        id={`${id}-text`}
        name="text"
        rows={5}
        spellCheck={false}
        disabled={!isHydrated}
        placeholder={
          '1:I["src/components/counter.tsx",[],"Counter"]\n0:["$","main",null,{"children":["$","$L1",null,{}]}]'
        }
        className="w-full font-mono text-[0.8125rem]"
      />
      <div className="flex flex-wrap items-center gap-2">
        <button type="submit" className="button-primary" disabled={!isHydrated || isBusy}>
          Decode
        </button>
        <button type="button" disabled={!isHydrated || isBusy} onClick={() => fileInput.current?.click()}>
          Choose a file
        </button>
        <input
          ref={fileInput}
          type="file"
          hidden
          aria-label="A file to decode"
          onChange={(event) => {
            const file = event.target.files?.[0];
            if (file) onFile(file);
            event.target.value = '';
          }}
        />
        <button
          type="button"
          disabled={!isHydrated || isBusy}
          onClick={() => onText(readThisPage(), 'The page this tab was opened with')}
        >
          Decode this very page
        </button>
        <span className="text-quiet">or drop a file anywhere.</span>
      </div>
    </form>
  );
}
