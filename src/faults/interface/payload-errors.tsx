import { DigestLink } from '#src/ui/digest-link.tsx';
import { describeControl } from '#flight';
import type { CarriedError } from '#src/flights/interface/open-on-server.ts';
import { knowDigests } from '#src/faults/digests/find-digest.ts';
import { isDigest } from '#report/digest.ts';
import { ownApp } from '#src/store/own-app.ts';

/** More would push the picture off the screen. */
const shownAtOnce = 2;
const shown = 50;

type PayloadErrorsProps = {
  readonly errors: readonly CarriedError[];
  readonly digests: readonly string[];
  readonly app: string;
};

type Known = (digest: string) => boolean;

/** Finds which digests lead somewhere: of another app, those whose error was reported. */
async function findKnown(app: string, digests: readonly string[]): Promise<Known> {
  if (app === ownApp) return (digest) => isDigest(digest);
  const known = await knowDigests(app, digests);
  return (digest) => known.has(digest);
}

function Digest({ digest, app, isKnown }: { digest: string | undefined; app: string; isKnown: Known }) {
  if (digest === undefined || digest === '') return <strong>An error without a digest</strong>;
  if (describeControl(digest) !== undefined) return <DigestLink digest={digest} app={app} />;
  return (
    <>
      <strong>Error</strong>{' '}
      {isKnown(digest) ? (
        <DigestLink digest={digest} app={app} />
      ) : (
        <span className="code [overflow-wrap:anywhere]">{digest}</span>
      )}
    </>
  );
}

/** The digests of this flight: those in its rows, with the row, and those that are in no row. */
export async function PayloadErrors({ errors, digests, app }: PayloadErrorsProps) {
  const carried = new Set(errors.map(({ digest }) => digest));
  const outside = digests.filter((digest) => !carried.has(digest));
  if (errors.length === 0 && outside.length === 0) return null;
  const [listed, others] = [errors.slice(0, shown), outside.slice(0, shown)];
  const isKnown = await findKnown(app, [...listed.flatMap(({ digest }) => digest ?? []), ...others]);
  const lines = [
    ...listed.map(({ row, digest, name, message }) => (
      <li key={row}>
        <Digest digest={digest} app={app} isKnown={isKnown} />
        {name === undefined ? null : ` ${name}: ${message ?? ''}`}, in <a href={`#row=${row}`}>row {row}</a>
      </li>
    )),
    ...others.map((digest) => (
      <li key={digest}>
        <Digest digest={digest} app={app} isKnown={isKnown} />, in no row that was kept: it failed outside of the
        payload
      </li>
    )),
  ];
  return (
    <section aria-label="Errors" className="flight-remark" data-mark="bad">
      <ul className="list-none p-0">{lines.slice(0, shownAtOnce)}</ul>
      {lines.length > shownAtOnce ? (
        <details>
          <summary>{lines.length - shownAtOnce} more</summary>
          <ul className="list-none p-0">{lines.slice(shownAtOnce)}</ul>
        </details>
      ) : null}
      {errors.length > shown ? <p className="text-quiet">The first {shown} rows with an error.</p> : null}
      {outside.length > shown ? <p className="text-quiet">The first {shown} digests that are in no row.</p> : null}
    </section>
  );
}
