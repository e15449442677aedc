import { countOf, formatBytes } from '#flight';
import { deleteSourceMaps } from '#src/faults/actions/delete-source-maps.ts';
import type { App } from '#src/apps/apps.ts';
import { writeSourceMapsCommand } from '#src/apps/set-up-texts.ts';
import { timeColumn } from '#src/ui/time-column.tsx';
import { Panel } from '#viewer/panel.tsx';
import { areMapsKept } from '#src/faults/source-maps/keep-app-maps.ts';
import type { ApiToken, MadeToken } from '#src/access/tokens.ts';
import type { UploadedRelease, Uploads } from '#src/faults/source-maps/read-uploads.ts';

import { CopyText } from '#src/ui/copy-text.tsx';
import { MakeUploadToken } from '#src/apps/interface/make-upload-token.tsx';
import { Table, type Column } from '#viewer/table.tsx';

function nameRelease({ release }: UploadedRelease): string {
  return release === '' ? 'No release' : release;
}

function listColumns(id: string, now: number): readonly Column<UploadedRelease>[] {
  return [
    { head: 'Release', isRowName: true, className: '[overflow-wrap:anywhere] sm:w-full', cell: nameRelease },
    { head: 'Scripts', cell: ({ scripts }) => countOf(scripts, 'script') },
    { head: 'Size', className: 'whitespace-nowrap', cell: ({ bytes }) => formatBytes(bytes) },
    timeColumn('Uploaded', now, ({ uploadedAt }) => uploadedAt),
    {
      head: 'Delete',
      isHidden: true,
      cell: (upload) => (
        <form action={deleteSourceMaps}>
          <input type="hidden" name="id" value={id} />
          <input type="hidden" name="release" value={upload.release} />
          <button
            type="submit"
            className="button-small"
            aria-label={`Delete the source maps of ${nameRelease(upload)}`}
          >
            Delete
          </button>
        </form>
      ),
    },
  ];
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
        <Table
          label="Uploaded source maps"
          columns={listColumns(app.id, now)}
          rows={releases}
          keyOf={({ release }) => release}
        />
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
