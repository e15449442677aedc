import { createServer, IncomingMessage, request, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { text } from 'node:stream/consumers';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { findBody, sendBody, toResponse, toWebStream, type Body } from './body.ts';
import { createFlightBody } from '#src/runtime/renderer/flight-body.ts';
import { createFlight } from '#src/runtime/renderer/flight.ts';

const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** One request against a server that answers with `answer`. */
async function fetchFrom(answer: (outgoing: ServerResponse) => void): Promise<IncomingMessage> {
  const server = createServer((_incoming, outgoing) => answer(outgoing));
  cleanups.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('No port');
  return await new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: address.port, agent: false }, resolve).on('error', reject).end();
  });
}

function openFlightBody(cancel: () => void = () => undefined) {
  const release = vi.fn();
  const sent = vi.fn<NonNullable<Body['sent']>>();
  const flight = createFlight();
  const body: Body = { ...createFlightBody(flight, { cancel, release }), sent };
  return { flight, release, sent, body };
}

describe('sendBody', () => {
  it('sends a complete body in one piece with its length in bytes', async () => {
    const { flight, body, release, sent } = openFlightBody();
    flight.destination.write('0:"☃"\n');
    flight.destination.write(Buffer.from('1:2\n'));
    flight.destination.end();
    const response = await fetchFrom((outgoing) => sendBody(body, outgoing, 404, { 'x-mark': 'yes' }));
    expect(response.statusCode).toBe(404);
    expect(response.headers['x-mark']).toBe('yes');
    expect(response.headers['content-length']).toBe(String(Buffer.byteLength('0:"☃"\n1:2\n')));
    expect(await text(response)).toBe('0:"☃"\n1:2\n');
    expect(release).toHaveBeenCalledOnce();
    expect(sent).toHaveBeenCalledExactlyOnceWith(12, 12);
  });

  it('sends the headers at once and rows as they come', async () => {
    const { flight, body, release, sent } = openFlightBody();
    flight.destination.write('0:0\n');
    const response = await fetchFrom((outgoing) => sendBody(body, outgoing, 200, {}));
    flight.destination.write('0:1\n');
    flight.destination.flush();
    const first = await new Promise<string>((resolve) => {
      response.once('data', (chunk) => resolve(String(chunk)));
    });
    expect(first).toBe('0:0\n');
    expect(release).not.toHaveBeenCalled();
    flight.destination.write('"☃"\n');
    flight.destination.end();
    expect(await text(response)).toBe('0:1\n"☃"\n');
    expect(release).toHaveBeenCalledOnce();
    expect(sent).toHaveBeenCalledExactlyOnceWith(14, 14);
  });

  it('holds React while the reader is slow', async () => {
    const { flight, body } = openFlightBody();
    const drained = new Promise<void>((resolve) => {
      flight.destination.on('drain', resolve);
    });
    const response = await fetchFrom((outgoing) => sendBody(body, outgoing, 200, {}));
    flight.destination.write(Buffer.alloc(8_000_000));
    flight.destination.flush();
    expect(flight.destination.write('more')).toBe(false);
    response.resume();
    await drained;
    expect(flight.destination.write('more')).toBe(true);
    response.destroy();
  });

  it('stops the rendering when the client leaves, and writes no more', async () => {
    let cancel = () => undefined;
    const left = new Promise<void>((resolve) => {
      cancel = () => void resolve();
    });
    const { flight, body, sent } = openFlightBody(() => cancel());
    const written: unknown[] = [];
    const response = await fetchFrom((outgoing) => {
      sendBody(body, outgoing, 200, {});
      vi.spyOn(outgoing, 'write').mockImplementation((bytes) => written.push(bytes) > 0);
      vi.spyOn(outgoing, 'end').mockImplementation((bytes) => {
        written.push(bytes);
        return outgoing;
      });
    });
    response.destroy();
    await left;
    flight.destination.write('0:1\n');
    flight.destination.flush();
    flight.destination.write('1:2\n');
    flight.destination.end();
    expect(written).toEqual([]);
    expect(sent).not.toHaveBeenCalled();
  });

  it('breaks the connection when the body fails after its start', async () => {
    const { flight, body, sent } = openFlightBody();
    const response = await fetchFrom((outgoing) => sendBody(body, outgoing, 200, {}));
    flight.destination.destroy(new Error('broken'));
    await expect(text(response)).rejects.toThrow('aborted');
    expect(sent).not.toHaveBeenCalled();
  });

  it('does not begin for a client that has left already', () => {
    const cancel = vi.fn();
    const start = vi.fn();
    const body: Body = { start, resume: vi.fn(), cancel };
    const outgoing = new ServerResponse(new IncomingMessage(new Socket()));
    outgoing.destroy();
    sendBody(body, outgoing, 200, {});
    expect(cancel).toHaveBeenCalledOnce();
    expect(start).not.toHaveBeenCalled();
  });
});

describe('toWebStream', () => {
  it('gives the same bytes, and starts nothing before it is read', async () => {
    const { flight, body, sent } = openFlightBody();
    const start = vi.spyOn(body, 'start');
    const stream = toWebStream(body);
    flight.destination.write('0:1\n');
    expect(start).not.toHaveBeenCalled();
    const reading = new Response(stream).text();
    flight.destination.write('1:2\n');
    flight.destination.flush();
    flight.destination.end();
    expect(await reading).toBe('0:1\n1:2\n');
    expect(sent).toHaveBeenCalledExactlyOnceWith(8, undefined);
  });

  it('says of a body that is there at once how long it is, and not as how much it was sent', async () => {
    const { flight, body, sent } = openFlightBody();
    flight.destination.write('0:"☃"\n');
    flight.destination.end();
    expect(await new Response(toWebStream(body)).text()).toBe('0:"☃"\n');
    expect(sent).toHaveBeenCalledExactlyOnceWith(8, undefined);
  });

  it('holds the body between reads and cancels it when nobody reads on', async () => {
    const cancel = vi.fn();
    const { flight, body } = openFlightBody(cancel);
    const reader = toWebStream(body).getReader();
    const first = reader.read();
    flight.destination.write('0:1\n');
    flight.destination.flush();
    expect(Buffer.from((await first).value ?? []).toString()).toBe('0:1\n');
    flight.destination.write('1:2\n');
    flight.destination.flush();
    expect(flight.destination.write('2:3\n')).toBe(false);
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('1:2\n');
    const third = reader.read();
    expect(flight.destination.write('3:4\n')).toBe(true);
    flight.destination.flush();
    expect(Buffer.from((await third).value ?? []).toString()).toBe('2:3\n3:4\n');
    await reader.cancel();
    expect(cancel).toHaveBeenCalledOnce();
  });
});

describe('findBody', () => {
  it('finds the body behind a response that a middleware rebuilt around the same stream', () => {
    const { body } = openFlightBody();
    const response = toResponse(body, { status: 200 });
    expect(findBody(response)).toBe(body);
    expect(findBody(new Response(response.body, { headers: { 'x-mark': 'yes' } }))).toBe(body);
  });

  it('finds none behind another body, or behind a stream that is being read', async () => {
    const { flight, body } = openFlightBody();
    flight.destination.end();
    const response = toResponse(body, { status: 200 });
    const rebuilt = new Response(response.body);
    await rebuilt.text();
    expect(findBody(rebuilt)).toBeUndefined();
    expect(findBody(new Response('other'))).toBeUndefined();
    expect(findBody(new Response(null))).toBeUndefined();
  });
});
