/**
 * Which Node is new enough. docs/hosting.md says it in words. e2e/node-floors.test.ts compares all places that name a
 * version: package.json's `engines` and packaged Nodes, the guides, the image, and the server's own warning.
 */
/** To run these scripts. Before anything is installed, the machine's own Node runs them. */
export const scriptsFloor = '20.19';
/** To build and to serve: Waku's own floor. It only matters where the registry has no Node for the platform. */
export const servingFloor = '22.15';
