type PartFailedProps = {
  readonly name: string;
  /** What is there without it, in a sentence. */
  readonly rest?: string;
  readonly onRetry: () => void;
};

/** The file of a part could not be fetched, twice. Where a new build took its place, the document again helps. */
export function PartFailed({ name, rest, onRetry }: PartFailedProps) {
  return (
    <div role="alert" className="panel border-s-4 border-s-(--error) px-4 py-2.5">
      <h2 className="text-[0.9375rem]">{name} could not be loaded</h2>
      <p>The connection broke, or this server was updated since the page was opened.{rest ? ` ${rest}` : null}</p>
      <p className="flex flex-wrap gap-2 pt-2">
        <button type="button" onClick={onRetry}>
          Try again
        </button>
        <button type="button" onClick={() => globalThis.location.reload()}>
          Reload the page
        </button>
      </p>
    </div>
  );
}
