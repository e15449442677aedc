import { useEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react';

import { formatBytes, type OneFile, type SavedFlight } from '#flight';
import { Facts } from '#viewer/facts.tsx';
import { FlightViewer } from '#viewer/flight-viewer.tsx';
import { Panel } from '#viewer/panel.tsx';

import { ComparedInFile } from './compared-in-file.tsx';
import { ServerTimeOf } from '../server-time-of.tsx';
import { openSaved } from './open-saved.ts';
import { formatShownInFile, parseShownInFile, type ShownInFile } from './shown-in-file.ts';

type PartProps = { readonly file: OneFile };

/** Follows the address. One without a name of a part is a link of the viewer, within the part that is shown. */
function useShown(file: OneFile, main: RefObject<HTMLElement | null>): ShownInFile {
  const [shown, setShown] = useState(() => parseShownInFile(file, globalThis.location.hash));
  useEffect(() => {
    function follow() {
      const { hash } = globalThis.location;
      if (!/[#&]show=/.test(hash)) return;
      setShown(parseShownInFile(file, hash));
      main.current?.focus();
    }
    globalThis.addEventListener('hashchange', follow);
    return () => globalThis.removeEventListener('hashchange', follow);
  }, [file, main]);
  return shown;
}

function ShownFlight({ file, saved, inFile }: PartProps & { saved: SavedFlight; inFile: string }) {
  const opened = useMemo(() => openSaved(saved), [saved]);
  const addresses = useMemo(() => ({ inFile }), [inFile]);
  return (
    <div className="stack-4">
      {saved.title === file.title ? null : <h2 className="text-lg [overflow-wrap:anywhere]">{saved.title}</h2>}
      {saved.serverTime ? <ServerTimeOf time={saved.serverTime} opened={opened} /> : null}
      <FlightViewer opened={opened} addresses={addresses} />
    </div>
  );
}

function HeldList({ file }: PartProps) {
  const { comparisons, flights } = file;
  return (
    <>
      {comparisons.length === 0 ? null : (
        <Panel title="Comparisons">
          <ul className="list-none">
            {comparisons.map(({ title, lines }, index) => (
              <li key={index} className="py-2 [overflow-wrap:anywhere]">
                <a href={`#show=c${index + 1}`}>{title}</a>
                {lines.map((line, at) => (
                  <p key={at} className="max-w-none text-sm text-quiet">
                    {line}
                  </p>
                ))}
              </li>
            ))}
          </ul>
        </Panel>
      )}
      <Panel title="Flights">
        <ul>
          {flights.map(({ title, bytes }, index) => (
            <li key={index} className="[overflow-wrap:anywhere]">
              <a href={`#show=${index + 1}`}>{title}</a> <span className="text-quiet">{formatBytes(bytes.length)}</span>
            </li>
          ))}
        </ul>
      </Panel>
    </>
  );
}

function renderShown(file: OneFile, shown: ShownInFile): ReactNode {
  switch (shown.kind) {
    case 'list':
      return <HeldList file={file} />;
    case 'flight': {
      const saved = file.flights[shown.index];
      return (
        saved && <ShownFlight key={shown.index} file={file} saved={saved} inFile={formatShownInFile(file, shown)} />
      );
    }
    case 'comparison': {
      const comparison = file.comparisons[shown.index];
      return comparison && <ComparedInFile file={file} comparison={comparison} shown={shown} />;
    }
  }
}

function listHeld({ savedAt, flights, comparisons }: OneFile) {
  const bytes = flights.reduce((sum, flight) => sum + flight.bytes.length, 0);
  const count = flights.length === 1 ? 'one flight' : `${flights.length} flights`;
  const compared =
    comparisons.length === 0 ? '' : `, ${comparisons.length === 1 ? 'compared' : 'of routes that are compared'}`;
  const recorded =
    flights.length === 1 ? flights[0]?.facts.find(({ name }) => /^(?:Recorded|Started)$/.test(name)) : undefined;
  return [
    { name: 'In this file', value: `${count}${compared}, ${formatBytes(bytes)} before compression` },
    ...(recorded ? [{ name: recorded.name, value: recorded.value }] : []),
    { name: 'Saved', value: savedAt },
    {
      name: 'Left out',
      value: 'what was taken out when it was recorded; headers and cookies. The rest is as the browser got it',
    },
  ];
}

/** The page in a saved file: what it holds and from when, and one part of it. */
export function OneFilePage({ file }: PartProps) {
  const main = useRef<HTMLElement>(null);
  const shown = useShown(file, main);
  const isList = shown.kind === 'list';
  const isOnly = file.flights.length + file.comparisons.length === 1;
  return (
    <main ref={main} tabIndex={-1} className="stack-5 outline-none">
      <div className="stack-2">
        {isOnly || isList ? null : (
          <p className="text-sm">
            <a href="#show=all">All that is in this file</a>
          </p>
        )}
        <h1 className="[overflow-wrap:anywhere]">{file.title}</h1>
        <details className="text-sm">
          <summary>
            Saved <span className="text-quiet">{file.savedAt}</span>
          </summary>
          <Facts facts={listHeld(file)} />
        </details>
      </div>
      {file.texts.map(({ title, text }, index) => (
        <details key={index}>
          <summary>{title}</summary>
          <pre>{text}</pre>
        </details>
      ))}
      {renderShown(file, shown)}
    </main>
  );
}
