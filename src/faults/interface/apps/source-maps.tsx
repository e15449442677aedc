import { countOf, formatBytes } from '#flight';
import { deleteSourceMaps } from '#src/faults/actions/delete-source-maps.ts';
import type { App } from '#src/apps/apps.ts';
import { writeSourceMapsCommand } from '#src/apps/set-up-texts.ts';
import { Moment } from '#src/ui/moment.tsx';
import { Panel } from '#viewer/panel.tsx';
import { areMapsKept } from '#src/faults/source-maps/keep-app-maps.ts';
import type { ApiToken, MadeToken } from '#src/access/tokens.ts';
import type { UploadedRelease, Uploads } from '#src/faults/source-maps/read-uploads.ts';

import { CopyText } from '#src/ui/copy-text.tsx';
import { MakeUploadToken } from '#src/apps/interface/make-upload-token.tsx';
import { TableHead } from '#viewer/table-head.tsx';

function ReleaseRow({ id, upload, now }: { id: string; upload: UploadedRelease; now: number }) {
  const { release, scripts, bytes, uploadedAt } = upload;
  const name = release === '' ? 'No release' : release;
  return (
    <tr>
      <th scope="row" className="[overflow-wrap:anywhere] sm:w-full">
        {name}
      </th>
      <td data-label="Scripts">{countOf(scripts, 'script')}</td>
      <td data-label="Size" className="whitespace-nowrap">
        {formatBytes(bytes)}
      </td>
      <td data-label="Uploaded" className="whitespace-nowrap">
        <Moment time={uploadedAt} now={now} isDense />
      </td>
      <td>
        <form action={deleteSourceMaps}>
          <input type="hidden" name="id" value={id} />
          <input type="hidden" name="release" value={release} />
          <button type="submit" className="button-small" aria-label={`Delete the source maps of ${name}`}>
            Delete
          </button>
        </form>
      </td>
    </tr>
  );
}

/** On a narrow screen each row folds. */
function ReleaseTable({ id, releases, now }: { id: string; releases: readonly UploadedRelease[]; now: number }) {
  return (
    <table className="fold" aria-label="Uploaded source maps">
      <TableHead columns={['Release', 'Scripts', 'Size', 'Uploaded', { hidden: 'Delete' }]} />
      <tbody>
        {releases.map((upload) => (
          <ReleaseRow key={upload.release} id={id} upload={upload} now={now} />
        ))}
      </tbody>
    </table>
  );
}

type SourceMapsProps = {
  readonly app: App;
  /** Where the app's machine reaches this server: an origin, with the mount path. */
  readonly base: string;
  readonly uploads: Uploads;
  /** Those that upload for this app. */
  readonly tokens: readonly ApiToken[];
  /** What came of the form for one. */
  readonly made: MadeToken | undefined;
  readonly now: number;
};

function UploadHelp({ app, base, tokens, made, now }: Omit<SourceMapsProps, 'uploads'>) {
  const token = made?.type === 'made' ? made.secret : undefined;
  return (
    <>
      <p>
        After each build of the app, in its folder; write the folder of the built scripts in place of ./dist
        {token === undefined ? ', and an upload token in place of flu_…' : ''}:
      </p>
      <CopyText text={writeSourceMapsCommand(app, base, token)} />
      <p className="text-sm text-quiet">
        The first command writes an id into each script and its map, the second uploads the maps. Where the scripts must
        not be changed, leave the first out and add <code>--release</code> with the name that the app’s SDK reports. An
        upload token can do nothing but upload source maps of this app.
      </p>
      <MakeUploadToken app={app} tokens={tokens} made={made} now={now} />
    </>
  );
}

/** What was uploaded for an app, and how to upload. */
export function SourceMaps({ app, base, uploads, tokens, made, now }: SourceMapsProps) {
  const { releases, more } = uploads;
  return (
    <Panel title="Source maps">
      {releases.length === 0 ? (
        <p className="text-quiet">
          None were uploaded. Browsers’ errors in minified scripts name the script, and not the source that it was made
          of. A server’s errors name it where the map is beside the built file.
        </p>
      ) : (
        <ReleaseTable id={app.id} releases={releases} now={now} />
      )}
      {more > 0 ? <p className="text-sm text-quiet">And {countOf(more, 'older release')}.</p> : null}
      {areMapsKept(app.id) ? (
        <p>Those of each build are kept when the app starts beside this server. Nothing has to be uploaded.</p>
      ) : (
        <UploadHelp app={app} base={base} tokens={tokens} made={made} now={now} />
      )}
    </Panel>
  );
}
