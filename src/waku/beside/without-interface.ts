import { answerAway } from './away-page.ts';
import type { Announced, Beside } from './beside.ts';
import { type Mode, readAppReach } from './read-reach.ts';
import { say } from './say.ts';

/**
 * For an app in which there is no interface: nothing is started, and every address is the app's.
 * @param announced the recorder elsewhere. Undefined: there is none
 * @param mode decides what is recorded without `RECORD`
 */
export function withoutInterface(announced: Announced | undefined, mode: Mode): Beside {
  const { unset } = readAppReach(mode, say);
  return {
    data: undefined,
    ready: announced ? Promise.resolve(announced) : new Promise<never>(() => undefined),
    read: () => announced,
    readPolicy: () => unset,
    unset,
    owns: () => false,
    async forward(request) {
      const { status, headers, body } = answerAway('off', request.headers.get('accept'));
      return new Response(request.method === 'HEAD' ? null : body, { status, headers });
    },
    forwardNode(incoming, outgoing) {
      const { status, headers, body } = answerAway('off', incoming.headers.accept);
      outgoing.writeHead(status, { ...headers }).end(incoming.method === 'HEAD' ? undefined : body);
    },
    stop: async () => undefined,
  };
}
