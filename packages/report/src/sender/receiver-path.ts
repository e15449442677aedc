/** Where a recorder takes the errors of `app`, below its mount path: `appErrorsPath` of the recorder's own addresses. */
export function receiverPath(app: string): string {
  return `/api/${encodeURIComponent(app)}/errors`;
}
