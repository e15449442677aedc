import 'server-only';

import { unknownBuild } from '#src/flights/flight/flight-columns.ts';

/**
 * A tab that was loaded before a deploy asks the build after it: one fault of an app for all such tabs. Each error of it is one
 * request, each user one visit. Those of the kind `action` are submissions that were lost.
 */
export const oldTabName = 'OldTab';
/** The tab is of the build that answers, which has no such action: two instances of one build differ. */
export const instancesName = 'InstancesDiffer';

export function describeOldTab(tabBuild: string, build: string): string {
  const from = tabBuild === unknownBuild ? 'an earlier build' : `build ${tabBuild}`;
  return `This tab is from ${from}, ${build === '' ? 'and the build that answered is unknown' : `you serve build ${build}`}`;
}

/** What can be done about it, in the words of the framework that is there. */
export function adviseOldTab(framework: string, name: string): readonly string[] {
  if (name === instancesName) {
    return [
      'The build that answered is the one that the tab was loaded from, and it does not know the action. So instances run the same build id with different code or keys.',
      framework === 'next'
        ? 'Build once and copy the result to all instances; or give all builds one NEXT_SERVER_ACTIONS_ENCRYPTION_KEY and the same sources.'
        : 'Build once, and copy the result to all instances.',
    ];
  }
  const keep = 'Keep the assets of earlier builds, so that open tabs find their chunks.';
  switch (framework) {
    case 'next':
      return [
        'Give each build a deploymentId in next.config, and route requests with ?dpl= or the header x-deployment-id to the build of that name while its tabs are open.',
        'Where all requests go to the newest build: catch the rejected action (unstable_isUnrecognizedActionError) and offer to load the page again, with what was typed kept.',
        'Give all builds one NEXT_SERVER_ACTIONS_ENCRYPTION_KEY: then an action whose code did not change keeps its id.',
        keep,
      ];
    case 'waku':
      return [
        'Load the page again when an action fails with the build changed: Waku’s answers carry the build id.',
        keep,
      ];
    case 'react-router':
      return [
        'React Router loads the document again at the next navigation; a submission before that is lost. Offer to send it again.',
        keep,
      ];
    default:
      return ['Load the page again when an action fails after a deploy.', keep];
  }
}
