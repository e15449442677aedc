import 'server-only';

import type { ReactNode } from 'react';

import { decodeFlight, decodeReply, type Flight, printRow, readRow, rowTagOf } from '#flight';

import { byHand, byReact, replyExamples, type ReplyField } from './examples.ts';
import { RawRows } from './raw-rows.tsx';
import { writeRoot } from './write-value.ts';

type FrameProps = {
  readonly text: string;
  readonly name: string;
  /** Of the page that decodes. It takes a payload from the address: nothing of it is sent. */
  readonly decode: string;
  readonly raw: ReactNode;
  readonly becomes: ReactNode;
};

function Frame({ text, name, decode, raw, becomes }: FrameProps) {
  return (
    <div className="protocol-example">
      {raw}
      <div className="protocol-becomes">{becomes}</div>
      <a
        className="w-fit py-[0.15rem] text-[0.8125rem]"
        href={`${decode}#text=${encodeURIComponent(text)}`}
        aria-label={`Open in the decoder: ${name}`}
      >
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

export type ExampleProps = {
  readonly anchor: string;
  readonly name: string;
  /** The address of the page that decodes. */
  readonly decode: string;
};

/** The example of a token of a response. */
export function Example({ anchor, name, decode }: ExampleProps) {
  const text = readExample(anchor);
  if (text === undefined) return null;
  const flight = decodeFlight(new TextEncoder().encode(text));
  return (
    <Frame
      text={text}
      name={name}
      decode={decode}
      raw={<RawRows flight={flight} />}
      becomes={<Becomes flight={flight} />}
    />
  );
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

const boundary = '----FlightRecorderExample';

/** The request’s body as a browser sends it: form data, or the text of the only field that has no name. */
export function toMultipart(fields: readonly ReplyField[]): string {
  const [first] = fields;
  if (first?.name === '') return typeof first.value === 'string' ? first.value : first.value.bytes;
  const parts = fields.map(({ name, value }) => {
    const isFile = typeof value !== 'string';
    const file = isFile ? '; filename="blob"\r\nContent-Type: application/octet-stream' : '';
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${isFile ? value.bytes : value}\r\n`;
  });
  return `${parts.join('')}--${boundary}--\r\n`;
}

/** The example of a token of an action’s request. */
export function ReplyExample({ anchor, name, decode }: ExampleProps) {
  const fields = replyExamples[anchor];
  if (!fields) return null;
  const body = toMultipart(fields);
  const { flight, action } = decodeReply(new TextEncoder().encode(body));
  return (
    <Frame
      text={body}
      name={name}
      decode={decode}
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
