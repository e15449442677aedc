/**
 * What is said of one token of the protocol. These texts are the only ones: the page /protocol and the notes in the raw view
 * of a row are made from them. Tests compare the tables with the decoder's own: nothing that it knows is left out here,
 * nothing else is in.
 */
export type Words = {
  /** Where the page explains it: `/protocol#row-T`. */
  readonly anchor: string;
  /** As it is written. Where a row's id follows, the id is 1. */
  readonly token: string;
  readonly name: string;
  /** One or two sentences. */
  readonly says: string;
  /** The first line of React 19 that writes it; undefined for 19.0. */
  readonly since?: '19.1' | '19.2' | '19.3';
  readonly isDevelopment?: true;
};
