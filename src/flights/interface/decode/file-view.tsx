import { useCallback, useEffect, useRef } from 'react';

import { formatBytes, formatCount, type FoundFlight } from '#flight';

import { Panel } from '#viewer/panel.tsx';
import { PartFailed } from '#viewer/part-failed.tsx';
import { createPart } from '#src/runtime/navigation/use-part.ts';
import { ChooseBox, type Choosing } from './choose-box.tsx';
import { ServerTimeOf } from '../server-time-of.tsx';
import { describeFound, readServerTime } from './describe-found.ts';
import { FoundList } from './found-list.tsx';
import { HarList } from './har-list.tsx';
import { LeftOutList } from './left-out-list.tsx';
import { openFound, type Content } from './read-content.ts';
import { SaveAsOneFile } from './save-as-one-file.tsx';
import { toSavedFlight } from './to-saved-flight.ts';
import type { Files, OpenedFile } from './use-files.ts';
import { useTask } from './use-task.ts';
import { viewerAddresses } from './viewer-addresses.ts';

/** Loaded with the first flight that is opened. */
const useFlightViewer = createPart(async () => (await import('#viewer/flight-viewer.tsx')).FlightViewer);

type FileViewProps = {
  readonly file: OpenedFile;
  /** Which of its flights; undefined for the list, or the only one. */
  readonly flight: number | undefined;
  readonly files: Files;
  readonly choosing: Choosing;
  readonly onOpen: (flight: number | undefined) => void;
  readonly onLeave: () => void;
};

function Trouble({ title, text, onRetry }: { title: string; text: string; onRetry?: () => void }) {
  return (
    <div role="alert" className="panel decode-problem">
      <h2>{title}</h2>
      <p className="[overflow-wrap:anywhere]">{text}</p>
      {onRetry ? (
        <p className="pt-2">
          <button type="button" onClick={onRetry}>
            Try again
          </button>
        </p>
      ) : null}
    </div>
  );
}

function Opening({ name, size }: { name: string; size: number }) {
  return (
    <p role="status">
      Decoding {name}, {formatBytes(size)} …
    </p>
  );
}

function OneFlight({ file, found, index }: { file: OpenedFile; found: FoundFlight; index: number }) {
  const { name, isKept, blob } = file;
  const task = useTask(
    useCallback(() => openFound(found, name, isKept ? 'this-browser' : 'nowhere'), [found, name, isKept]),
  );
  const viewer = useFlightViewer();
  if (task.status === 'failed') {
    return <Trouble title="It could not be decoded" text={task.reason} onRetry={task.retry} />;
  }
  if (viewer.kind === 'failed') return <PartFailed name="The viewer" onRetry={viewer.retry} />;
  if (task.status === 'running' || viewer.kind === 'loading') return <Opening name={name} size={blob.size} />;
  const time = readServerTime(found);
  return (
    <>
      {time ? <ServerTimeOf time={time} opened={task.value} /> : null}
      <viewer.part key={index} opened={task.value} addresses={viewerAddresses} />
    </>
  );
}

function isHar(flights: readonly FoundFlight[]): boolean {
  return flights.every(({ origin }) => origin.kind === 'har');
}

type ContentViewProps = FileViewProps & { readonly content: Content & { readonly kind: 'flights' } };

function ContentView({ file, flight, content, choosing, onOpen, onLeave }: ContentViewProps) {
  const view = useRef<HTMLDivElement>(null);
  const { flights, leftOut } = content;
  // What a HAR lacks has to be seen, so that its only flight does not pass for all there was.
  const isOnly = flights.length === 1 && leftOut.length === 0;
  const index = flight ?? (isOnly ? 0 : undefined);
  const found = index === undefined ? undefined : flights[index];
  const isOpened = found !== undefined;
  useEffect(() => {
    if (isOpened) view.current?.focus({ preventScroll: true });
  }, [isOpened]);

  if (index === undefined) {
    const list = { file: file.id, flights, choosing, onOpen };
    return (
      <>
        <Panel
          title={`${flights.length === 1 ? '1 flight' : `${formatCount(flights.length)} flights`} in ${file.name}`}
        >
          {isHar(flights) ? <HarList {...list} /> : <FoundList {...list} name={file.name} />}
        </Panel>
        <LeftOutList leftOut={leftOut} />
      </>
    );
  }
  if (!found) {
    return <Trouble title="There is no such flight" text={`${file.name} has fewer flights than that.`} />;
  }
  const { title } = describeFound(found, file.name);
  return (
    <div ref={view} tabIndex={-1} className="stack-4 outline-none">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="min-w-0 text-lg [overflow-wrap:anywhere]">{title}</h2>
        <span className="ml-auto flex flex-wrap items-center gap-2">
          <SaveAsOneFile
            key={index}
            make={async () => ({
              title,
              flights: [await toSavedFlight(found, file.name)],
              comparisons: [],
              texts: [],
            })}
          />
          <ChooseBox flight={{ file: file.id, flight: index, title }} choosing={choosing} text="Compare" />
          {isOnly ? null : (
            <button type="button" onClick={() => onOpen(undefined)}>
              Back to the {formatCount(flights.length)} found
            </button>
          )}
          <button type="button" onClick={onLeave}>
            Decode another
          </button>
        </span>
      </div>
      <OneFlight file={file} found={found} index={index} />
    </div>
  );
}

/** A file that was opened: its flights to choose from, or one of them in the viewer. */
export function FileView(props: FileViewProps) {
  const { file, files } = props;
  const { read } = files;
  const task = useTask(useCallback(() => read(file), [read, file]));
  if (task.status === 'running') return <Opening name={file.name} size={file.blob.size} />;
  if (task.status === 'failed') {
    return <Trouble title="It could not be read" text={task.reason} onRetry={task.retry} />;
  }
  const content = task.value;
  if (content.kind === 'problem') return <Trouble title={content.title} text={content.text} />;
  return <ContentView {...props} content={content} />;
}
