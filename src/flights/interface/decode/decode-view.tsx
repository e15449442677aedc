import type { Choosing } from './choose-box.tsx';
import { CompareFiles } from './compare-files.tsx';
import type { Shown } from './decode-address.ts';
import { FileView } from './file-view.tsx';
import type { Files } from './use-files.ts';

export { findFlights } from './read-content.ts';

export type DecodeViewProps = {
  readonly shown: Exclude<Shown, { readonly kind: 'start' }>;
  readonly files: Files;
  readonly choosing: Choosing;
  readonly onShow: (shown: Shown) => void;
};

/** What an address names: a file, a flight of it, or two flights compared. */
export function DecodeView({ shown, files, choosing, onShow }: DecodeViewProps) {
  const leave = () => onShow({ kind: 'start' });
  if (!files.list) return <p role="status">Looking for the file in this browser …</p>;
  if (shown.kind === 'compare') {
    return (
      <>
        <div className="flex flex-wrap items-center justify-between gap-2">
          <h2 className="text-lg">Two flights compared</h2>
          <button type="button" onClick={leave}>
            Decode another
          </button>
        </div>
        <CompareFiles files={files} shown={shown} />
      </>
    );
  }
  const file = files.list.find(({ id }) => id === shown.file);
  if (!file) {
    return (
      <div role="alert" className="panel decode-problem">
        <h2>This browser does not have the file</h2>
        <p>It was opened in another browser, or forgotten here. Opened files stay in the browser that opened them.</p>
        <p>
          <button type="button" onClick={leave}>
            Decode another
          </button>
        </p>
      </div>
    );
  }
  return (
    <FileView
      key={file.id}
      file={file}
      flight={shown.flight}
      files={files}
      choosing={choosing}
      onOpen={(flight) => onShow({ kind: 'file', file: file.id, flight })}
      onLeave={leave}
    />
  );
}
