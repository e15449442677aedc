import 'server-only';

import type { ReactNode } from 'react';

import { decodeFlight, decodeReply, type Flight, printRow, readRow, rowTagOf } from '#flight';
import { decodePath } from '#src/http/addresses.ts';

import { byHand, byReact, replyExamples, type ReplyField } from './examples.ts';
import { RawRows } from './raw-rows.tsx';
import { toMultipart } from './to-multipart.ts';
import { writeRoot } from './write-value.ts';

/** The page that decodes takes a payload from the address: nothing of it is sent. */
function openPath(text: string): string {
  return `${decodePath}#text=${encodeURIComponent(text)}`;
}

function Frame({ text, name, raw, becomes }: { text: string; name: string; raw: ReactNode; becomes: ReactNode }) {
  return (
    <div className="protocol-example">
      {raw}
      <div className="protocol-becomes">{becomes}</div>
      <a className="protocol-open" href={openPath(text)} aria-label={`Open in the decoder: ${name}`}>
        Open in the decoder
      </a>
    </div>
  );
}

/** Rows that speak about others, or about none, are no part of the root's value. */
function listAbout(flight: Flight): string[] {
  return Array.from({ length: flight.rows.count }, (_, row) => readRow(flight, row))
    .filter((row) => !rowTagOf(row.tag).isReferable && row.kind !== 'stream-end' && row.kind !== 'bytes')
    .map((row) => printRow(flight, row));
}

/** What the decoder makes of the payload. */
export function Becomes({ flight }: { flight: Flight }) {
  return (
    <>
      {listAbout(flight).map((text, index) => (
        <code key={index}>{text}</code>
      ))}
      <code>{writeRoot(flight)}</code>
    </>
  );
}

export function readExample(anchor: string): string | undefined {
  return byReact[anchor] ?? byHand[anchor];
}

/** The example of a token of a response. */
export function Example({ anchor, name }: { anchor: string; name: string }) {
  const text = readExample(anchor);
  if (text === undefined) return null;
  const flight = decodeFlight(new TextEncoder().encode(text));
  return <Frame text={text} name={name} raw={<RawRows flight={flight} />} becomes={<Becomes flight={flight} />} />;
}

function FieldLines({ fields }: { fields: readonly ReplyField[] }) {
  return (
    <pre className="protocol-raw">
      {fields.map(({ name, value }, index) => (
        <span key={index}>
          {name === '' ? null : (
            <>
              <span data-token="tag">{name}</span>
              {' = '}
            </>
          )}
          <span data-token="string">{typeof value === 'string' ? value : `a file: ${value.bytes}`}</span>
          {'\n'}
        </span>
      ))}
    </pre>
  );
}

/** The example of a token of an action’s request. */
export function ReplyExample({ anchor, name }: { anchor: string; name: string }) {
  const fields = replyExamples[anchor];
  if (!fields) return null;
  const body = toMultipart(fields);
  const { flight, action } = decodeReply(new TextEncoder().encode(body));
  return (
    <Frame
      text={body}
      name={name}
      raw={<FieldLines fields={fields} />}
      becomes={
        <>
          {action.kind === 'form' ? <code>{`a form for ${action.id ?? 'an action'}`}</code> : null}
          {flight.root === undefined ? null : <code>{writeRoot(flight)}</code>}
          {action.kind === 'form' && action.key !== undefined ? <code>{`key ${action.key}`}</code> : null}
        </>
      }
    />
  );
}
