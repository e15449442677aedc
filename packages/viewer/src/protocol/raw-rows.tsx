import { type Flight, readHeader, readTokens } from '#flight';

/** A text of an example is shown up to here; the page says how long it is. */
const maxShown = 48;

const utf8 = new TextDecoder();

type Piece = { readonly token: string | undefined; readonly text: string };

function shorten(text: string): string {
  const more = text.length - maxShown;
  return more > 20 ? `${text.slice(0, maxShown)}… ${more} more …` : text;
}

/** The row's bytes as pieces: its tokens, and the punctuation between them. */
function readPieces(flight: Flight, row: number): Piece[] {
  const { start, end } = readHeader(flight.rows, row);
  const pieces: Piece[] = [];
  const read = (from: number, to: number) => utf8.decode(flight.bytes.subarray(from, to));
  let at = start;
  for (const token of readTokens(flight, row)) {
    if (token.start > at) pieces.push({ token: undefined, text: read(at, token.start) });
    const text = token.kind === 'line-end' ? '↵' : shorten(read(token.start, token.end));
    pieces.push({ token: token.kind, text });
    at = token.end;
  }
  if (at < end) pieces.push({ token: undefined, text: read(at, end) });
  return pieces;
}

export function RawRow({ flight, row }: { flight: Flight; row: number }) {
  return readPieces(flight, row).map(({ token, text }, index) => (
    <span key={index} data-token={token}>
      {text}
    </span>
  ));
}

/** The payload as it was sent, a row on each line, with what came after the last whole row. */
export function RawRows({ flight }: { flight: Flight }) {
  const { rows, bytes } = flight;
  const rest = utf8.decode(bytes.subarray(rows.starts[rows.count] ?? 0));
  return (
    <pre className="protocol-raw">
      {Array.from({ length: rows.count }, (_, row) => (
        <span key={row}>
          <RawRow flight={flight} row={row} />
          {'\n'}
        </span>
      ))}
      {rest}
    </pre>
  );
}
