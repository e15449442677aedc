import { describeControl, readDigestsFromHtml, scanFlight } from '#flight';

import { isDigest } from '../../flight/join-digests.ts';

/**
 * The digests of what failed in a response: of error rows, and of boundaries that failed while the page became HTML. A digest of
 * another framework is any short text. What frameworks throw to steer (a redirect, a page that is not found, "render this in the
 * browser") has a digest too, and is no failure.
 */
export type Failures = {
  /** One that is empty, where errors have no digest. */
  readonly digests: readonly string[];
  /** Also where a framework sends no digest. */
  readonly isFailed: boolean;
};

/** Where there are more, they have the same cause. */
const digestsLimit = 100;

export function readFailures(payloads: readonly Uint8Array[], html: string | undefined): Failures {
  const rows = payloads.flatMap((bytes) => scanFlight([bytes]).errors.map(({ digest }) => digest ?? ''));
  const all = [...rows, ...(html === undefined ? [] : readDigestsFromHtml(html))];
  const failures = all.filter((digest) => describeControl(digest) === undefined);
  const digests = [...new Set(failures)].filter(isDigest).slice(0, digestsLimit);
  const isFailed = failures.length > 0;
  return { digests: isFailed && digests.length === 0 ? [''] : digests, isFailed };
}
