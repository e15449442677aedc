/** Of every answer: the request's id, which is in the log lines of a recorder, and in what another app reports of the request. */
export const requestIdHeader = 'x-request-id';
