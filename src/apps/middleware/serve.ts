import 'server-only';

import { appAnnouncementPath } from '#src/server/http/addresses.ts';
import { answersAt } from '#src/server/http/file-rule.ts';
import type { Step } from '#src/server/adapter/step.ts';

import { appAnnouncement } from './app-announcement.ts';
import { notThroughApps, notThroughAppsOfFile } from './not-through-apps.ts';

/** What is recorded, as a part of the server. */

/** @param onBuild called with the id of the app and its build */
export function announcementStep(onBuild: Parameters<typeof appAnnouncement>[0]): Step {
  return { middleware: appAnnouncement(onBuild), file: answersAt(appAnnouncementPath) };
}

export const notThroughAppsStep: Step = { middleware: notThroughApps(), file: notThroughAppsOfFile };
