import type { Screen } from '#src/proxy/screen.ts';

import { isCall, judgeCall, mayCall } from './judge-call.ts';
import { keepRequestHeaders } from './keep-headers.ts';
import { lookAtRequest } from './look-at-request.ts';

/** As much as Next.js takes of an action by itself, and this server. */
const screenedBytes = 1024 * 1024;

/** `--block-forged`: what no client of React could have written is refused before the app sees a byte. */
export function createScreen(refusesLarger: boolean): Screen {
  return ({ method, target, headers: flat }) => {
    const headers = keepRequestHeaders(flat);
    const look = lookAtRequest({ method, target, headers });
    if (!mayCall(method, look, headers)) return undefined;
    // A form that is larger may be any upload of the app: only what is called for certain is refused for its size.
    const refusesUnseen = refusesLarger && (look.actionId !== null || isCall(look));
    return {
      limit: screenedBytes,
      refusesLarger: refusesUnseen,
      isRefused(body) {
        const kind = judgeCall({ look, headers, body, isWhole: true })?.kind;
        // It is judged only where it is a call, or a form that names an action.
        return kind === 'forged' || (kind === 'too-large' && refusesLarger);
      },
    };
  };
}
