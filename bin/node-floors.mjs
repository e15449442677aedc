/**
 * Which Node is new enough. docs/hosting.md says it in words. e2e/node-floors.test.ts compares all places that name a
 * version: package.json's `engines`, the Nodes that a clone brings, the guides, the image, and the server's own warning.
 */
/** To run these scripts. Before anything is installed, the machine's own Node runs them. */
export const scriptsFloor = '20.19';
/** To build and to serve: the oldest line with support that has `node:sqlite`, from where its SQLite loses no committed page. */
export const servingFloor = '22.22.3';
/** Older ones can lose committed pages. A later line may have begun with an older one. */
export const sqliteFloor = '3.51.3';
