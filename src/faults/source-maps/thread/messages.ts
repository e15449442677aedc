/** What passes between the threads that serve pages and the one that reads maps. */
export type Position = {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
};

/** Where a map is. */
export type MapPlace =
  /** Packed, as `store-map.ts` wrote it. */
  | { readonly type: 'stored'; readonly file: string }
  /** One that our own build left. */
  | { readonly type: 'built'; readonly file: string; /** From the project's root. */ readonly folder: string };

/** What a map says of a position. */
export type ResolvedPosition = Position & {
  /** As the map names it, without schemes and `../`. */
  readonly source: string;
  readonly inApp: boolean;
  /** What stands at this position in the source; empty when the map does not say it. */
  readonly name: string;
  /** The function around it, as its source calls it, empty at the top level; undefined where the map has no source to read it from. */
  readonly functionName: string | undefined;
  readonly context: { readonly firstLine: number; readonly lines: readonly string[] } | undefined;
};

type ResolveRequest = {
  readonly type: 'resolve';
  readonly map: MapPlace;
  readonly positions: readonly Position[];
};

/** Puts an uploaded bundle together, and stores its maps. */
export type UnpackRequest = {
  readonly type: 'unpack';
  /** Files, in order. */
  readonly chunks: readonly string[];
  /** SHA-1 of the whole, in hex. */
  readonly checksum: string;
  /** Where the maps go. */
  readonly folder: string;
};

export type BuiltMap = {
  readonly file: string;
  readonly folder: string;
  /** Of the script: `~/assets/index-4f3c2a.js`. */
  readonly url: string;
};

/** Stores the maps of a build on this machine: our own, or that of an app beside us. */
export type KeepRequest = { readonly type: 'keep'; readonly maps: readonly BuiltMap[]; readonly folder: string };

export type MapRequest = ResolveRequest | UnpackRequest | KeepRequest;

/** A script, or a map without its script, and the map that belongs to it. */
export type StoredMap = {
  readonly url: string;
  /** 32 hex digits. */
  readonly debugId: string | undefined;
  /** SHA-256 of the map, in hex: its file's name. */
  readonly hash: string;
  /** Of the file. */
  readonly bytes: number;
};

export type MapAnswer =
  /** One for each position; undefined where the map says nothing of it. */
  | { readonly type: 'resolved'; readonly positions: readonly (ResolvedPosition | undefined)[] }
  | {
      readonly type: 'stored';
      readonly maps: readonly StoredMap[];
      /** Maps that could not be read. */ readonly skipped: number;
    }
  /** The reason is for whoever uploads. */
  | { readonly type: 'refused'; readonly reason: string };
