import { formatRowName } from '#src/viewer/view-hash.ts';
import { DigestLink } from '#src/components/digest-link.tsx';
import { Panel } from '#src/components/panel.tsx';
import { describeControl } from '#src/components/control-flow.ts';
import { readErrors, type Flight } from '#flight';
import { knowDigests } from '#src/reports/find-digest.ts';
import { isDigest } from '#src/runtime/errors/digest.ts';
import { ownApp } from '#src/store/own-app.ts';

const shown = 50;

type PayloadErrorsProps = {
  readonly flight: Flight;
  readonly digests: readonly string[];
  readonly app: string;
};

type Known = (digest: string) => boolean;

/** Of another app a digest leads somewhere when its error was reported. */
async function findKnown(app: string, digests: readonly string[]): Promise<Known> {
  if (app === ownApp) return (digest) => isDigest(digest);
  const known = await knowDigests(app, digests);
  return (digest) => known.has(digest);
}

function Digest({ digest, app, isKnown }: { digest: string | undefined; app: string; isKnown: Known }) {
  if (digest === undefined || digest === '') return <span className="code">no digest</span>;
  if (isKnown(digest) || describeControl(digest) !== undefined) return <DigestLink digest={digest} app={app} />;
  return <span className="code [overflow-wrap:anywhere]">{digest}</span>;
}

/** The digests of this flight: those in its rows, with the row, and those that are in no row. */
export async function PayloadErrors({ flight, digests, app }: PayloadErrorsProps) {
  const errors = readErrors(flight).slice(0, shown);
  const carried = new Set(errors.map(({ digest }) => digest));
  const others = digests.filter((digest) => !carried.has(digest));
  if (errors.length === 0 && others.length === 0) return null;
  const all = [...errors.flatMap(({ digest }) => digest ?? []), ...others];
  const isKnown = await findKnown(app, all);
  return (
    <Panel title="Errors">
      <ul className="stack-1 text-sm">
        {errors.map(({ row, digest, name, message }) => (
          <li key={row}>
            <Digest digest={digest} app={app} isKnown={isKnown} />
            {name === undefined ? null : ` ${name}: ${message ?? ''}`}, in{' '}
            <a href={`#row=${formatRowName(flight, row)}`}>row {formatRowName(flight, row)}</a>
          </li>
        ))}
        {others.map((digest) => (
          <li key={digest}>
            <Digest digest={digest} app={app} isKnown={isKnown} />, in no row that was kept: it failed outside of the
            payload
          </li>
        ))}
      </ul>
    </Panel>
  );
}
