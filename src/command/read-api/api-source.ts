/** Who answers questions of the API for a command: the data on this machine, or a server elsewhere. */
export type ApiSource = {
  /**
   * @param target below `/api/v1/`, with its query: `faults?state=open`
   * @throws when nobody answers, with words for a person
   */
  readonly ask: (target: string) => Promise<ApiReply>;
  readonly close: () => Promise<void>;
};

/** `body` is what a server would send as JSON. */
export type ApiReply = { readonly status: number; readonly body: unknown };

export type SourceOptions = {
  /** Of a server; undefined: the data on this machine. */
  readonly url: string | undefined;
  /** Undefined: `FLIGHT_DATA`, else `./data`. */
  readonly data: string | undefined;
};
