import type { RecorderAddress } from '#report/recorder-url.ts';
import { printWeaknesses } from '#src/apps/advisories/find-advisories.ts';
import { readInstalled } from '#src/apps/advisories/read-installed.ts';
import type { RequestContext } from '#src/server/http/request-context.ts';
import type { Policy } from '#src/apps/policy.ts';
import {
  answerRecording,
  noteUsage,
  openRecording,
  startRecorder,
  type RecorderOptions,
} from '#src/flights/recorder/recorder.ts';
import { readDatabase } from '#src/flights/recorder/read-database.ts';
import type { RecordedRequest, Recording } from '#src/flights/recorder/recording.ts';
import { createRoomCheck } from '#src/flights/watch/has-room.ts';
import type { ReportedUse, UsageNote } from '#src/flights/writer/flight-writer.ts';

/**
 * The recorder inside somebody else's app. This module and all that it imports run in plain Node, never in a bundler's hands: it
 * is built once, into one file beside the file of its writing thread, and the app's server imports it when it starts. So the app's
 * build has nothing of SQLite, and an app whose Node cannot record runs without it.
 */
export type RecordingOptions = {
  readonly app: string;
  /** The data folder; for a recorder elsewhere the folder of what it has not taken yet. */
  readonly folder: string;
  /** The recorder elsewhere. */
  readonly shipTo: RecorderAddress | undefined;
  /** Asked for each request. */
  readonly readPolicy: () => Policy;
  /** Where the app has no setting. */
  readonly unset: Policy;
  readonly release: string;
  /** The app's components tell what they wait for. */
  readonly isTimed: boolean;
  readonly addSink: NonNullable<RecorderOptions['addSink']>;
  /** Says a line in the app's terminal. */
  readonly warn: (line: string) => void;
};

export type AppRecording = {
  /** Undefined when nothing is recorded of it. */
  readonly open: (request: RequestContext, read: () => RecordedRequest) => Recording | undefined;
  /** Once for every recording that was opened, with the response as it goes out. */
  readonly answer: (recording: Recording, response: { readonly status: number }) => void;
  /** Whether a Flight stream was rendered for it: then it was not answered with a file. */
  readonly hasFlight: (recording: Recording) => boolean;
  readonly note: (note: UsageNote) => void;
  /** What a page says of itself. A recorder elsewhere is not told. */
  readonly noteTold: (told: Omit<ReportedUse, 'app'>) => void;
  /** Writes what waits. */
  readonly stop: () => Promise<void>;
};

/** @throws with one line when `RECORD_MIB` or `RECORD_DAYS` cannot be understood */
export async function startRecording(options: RecordingOptions): Promise<AppRecording> {
  const { app, folder, shipTo, readPolicy, unset, release, isTimed, addSink, warn } = options;
  const installed = readInstalled(process.cwd());
  for (const line of printWeaknesses(installed, Date.now())) warn(line);
  const stop = await startRecorder({
    addSink,
    build: release,
    hasRoom: shipTo || !('database' in readDatabase()) ? createRoomCheck(folder) : () => true,
    // A recorder elsewhere is sent flights alone: what their server did would stay in the spool.
    app: { id: app, folder, readPolicy, unset, shipTo, installed, isTimed: isTimed && !shipTo },
  });
  return {
    open: openRecording,
    answer: answerRecording,
    hasFlight: ({ flight }) => flight.status !== 'none',
    note: noteUsage,
    noteTold(told) {
      if (!shipTo) noteUsage({ time: Date.now(), used: [], closedTrace: undefined, told: { app, ...told } });
    },
    stop,
  };
}
