/**
 * Which Node is new enough. docs/hosting.md says it in words, and e2e/node-floors.test.ts compares all places that name a
 * version: package.json's `engines` and packaged Nodes, the guides, the image, and the server's own warning.
 */
/** To run these scripts: before anything is installed, they have the machine's own. */
export const scriptsFloor = '20.19';
/** To build and to serve: Waku's own floor. Only asked where the registry has no Node for the platform. */
export const servingFloor = '22.15';
