type Observer = {
  readonly onChunk: () => void;
  /** The body ended, failed or was abandoned: nothing more will come. Called once. */
  readonly onEnd: () => void;
};

/** The same response, with a call for every chunk of its body and for its end. It does not read ahead of the reader. */
export function observeResponse(response: Response, { onChunk, onEnd }: Observer): Response {
  if (!response.body) {
    onEnd();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read().catch((error: unknown) => {
          onEnd();
          throw error;
        });
        if (done) {
          onEnd();
          controller.close();
          return;
        }
        onChunk();
        controller.enqueue(value);
      },
      cancel(reason) {
        onEnd();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}
