import { type FormEvent, useId, useRef, useState } from 'react';

import { useHydrated } from '#viewer/use-hydrated.ts';

import { toFileInput, toTextInput } from './take-inputs.ts';
import type { Input } from './use-files.ts';
import { openSample, type Sample, samples } from './samples.ts';

type DecodeFormProps = {
  readonly onInputs: (inputs: readonly Input[]) => void;
  readonly isBusy: boolean;
  /** Something is held over the page. */
  readonly isOver: boolean;
};

/** The HTML with which this tab was opened, scripts included: a real payload, without a request for it. */
function readThisPage(): string {
  return `<!DOCTYPE html>${document.documentElement.outerHTML}`;
}

/** Waku's pages carry theirs in this; a page that is a file has none. */
function carriesPayload(): boolean {
  return '__FLIGHT_DATA' in globalThis;
}

type SampleButtonsProps = { readonly isBusy: boolean; readonly onInputs: (inputs: readonly Input[]) => void };

/** For somebody who has nothing to paste: one click shows what a payload is. */
function SampleButtons({ isBusy, onInputs }: SampleButtonsProps) {
  const [failed, setFailed] = useState<string>();

  async function open(sample: Sample) {
    setFailed(undefined);
    try {
      onInputs([await openSample(sample)]);
    } catch {
      setFailed(sample.name);
    }
  }

  return (
    <div role="group" aria-label="Samples" className="flex flex-wrap items-center gap-2">
      <span className="text-quiet">Or look at a sample:</span>
      {samples.map((sample) => (
        <button
          key={sample.name}
          type="button"
          className="button-small"
          disabled={isBusy}
          onClick={() => void open(sample)}
        >
          {sample.name}
        </button>
      ))}
      <span role="alert" className="text-error">
        {failed === undefined ? '' : `“${failed}” could not be loaded.`}
      </span>
    </div>
  );
}

/**
 * Takes flights by typing or choosing files. Pasted text is decoded at once and never put into the field: a browser needs
 * seconds to lay out 5 MB on one line.
 */
export function DecodeForm({ onInputs, isBusy, isOver }: DecodeFormProps) {
  const id = useId();
  const isHydrated = useHydrated();
  const fileInput = useRef<HTMLInputElement>(null);

  function decodeTyped(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const text = new FormData(event.currentTarget).get('text');
    if (typeof text === 'string') onInputs([toTextInput(text, 'Typed text')]);
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
          Choose files
        </button>
        <input
          ref={fileInput}
          type="file"
          multiple
          hidden
          aria-label="A file to decode"
          onChange={(event) => {
            const inputs = Array.from(event.target.files ?? [], toFileInput);
            if (inputs.length > 0) onInputs(inputs);
            event.target.value = '';
          }}
        />
        {isHydrated && !carriesPayload() ? null : (
          <button
            type="button"
            disabled={!isHydrated || isBusy}
            onClick={() => onInputs([toTextInput(readThisPage(), 'The page this tab was opened with')])}
          >
            Decode this very page
          </button>
        )}
        <span className="text-quiet">or drop files anywhere.</span>
      </div>
      <SampleButtons isBusy={!isHydrated || isBusy} onInputs={onInputs} />
    </form>
  );
}
