import { currentRequest } from '#src/server/http/request-context.ts';

export function RenderedAt() {
  const request = currentRequest();
  const time = request ? new Date(request.startedAt).toISOString() : 'the time of the build';
  return <p>Rendered at {time}.</p>;
}
