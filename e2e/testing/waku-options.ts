/** What the Waku plugin says in tests: all parts on, mounted below an app's base. */
export const mountPath: string | undefined = '/shop/_flight';
export const basePath = '/shop/';
export const digests = true;
export const recorder = true;
export const navigation = true;
export const actions = true;
export const reports = true;
export const strictActions = false;
export const blockForged = undefined;
