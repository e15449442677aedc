/** Names and addresses that only processes of this machine can connect to. */
const loopbackPattern = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/;

export function isLoopbackName(hostname: string): boolean {
  return loopbackPattern.test(hostname);
}

export type Reach = {
  /** On which address the server listens. */
  readonly hostname: string;
  /** Where people reach it, when that is not the address it listens on. */
  readonly baseUrl: URL | undefined;
};

/**
 * Whether other machines can reach the server: directly, or through the proxy that answers at `baseUrl`. What is recorded
 * unasked, and whether somebody must be able to sign in, follows from it.
 */
export function isReachableByOthers({ hostname, baseUrl }: Reach): boolean {
  return !isLoopbackName(hostname) || (baseUrl !== undefined && !isLoopbackName(baseUrl.hostname));
}
