import 'server-only';

/**
 * Says that a GET has no body. Waku asks for it with every payload, and Hono's light request makes a whole `Request` to
 * answer, whose clean-up then keeps the abort signal in memory until the next full garbage collection.
 */
export function markBodyless(request: Request): void {
  const isBodyless = request.method === 'GET' || request.method === 'HEAD';
  if (isBodyless) Object.defineProperty(request, 'body', { value: null });
}
