import { describe, expect, it, vi } from 'vitest';

import { createFlight, readFlight } from './flight.ts';

async function settle(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}

describe('createFlight', () => {
  it("keeps React's chunks as they are, long text as a string of its own", () => {
    const flight = createFlight();
    const head = new TextEncoder().encode('1:T1770,');
    const text = '☃'.repeat(2000);
    flight.destination.write(head);
    flight.destination.write(text);
    const taken = flight.take();
    expect(taken[0]).toBe(head);
    expect(taken[1]).toBe(text);
    expect(flight.take()).toEqual([]);
  });

  it('tells its listener of flushes and of the end, and not of single writes', () => {
    const flight = createFlight();
    const listener = vi.fn();
    flight.listen(listener);
    flight.destination.write('a');
    expect(listener).not.toHaveBeenCalled();
    flight.destination.flush();
    expect(listener).toHaveBeenCalledTimes(1);
    flight.destination.end();
    expect(listener).toHaveBeenCalledTimes(2);
    expect(flight.state()).toEqual({ status: 'ended' });
  });

  it('stops React while it is held, and lets it go on once', () => {
    const flight = createFlight();
    const drain = vi.fn();
    flight.destination.on('drain', drain);
    expect(flight.destination.write('a')).toBe(true);
    flight.resume();
    expect(drain).not.toHaveBeenCalled();
    flight.hold();
    expect(flight.destination.write('b')).toBe(false);
    flight.resume();
    expect(drain).toHaveBeenCalledTimes(1);
    expect(flight.destination.write('c')).toBe(true);
    expect(flight.take()).toEqual(['a', 'b', 'c']);
  });

  it('keeps the first outcome', () => {
    const flight = createFlight();
    const error = new Error('broken');
    flight.destination.destroy(error);
    flight.destination.end();
    expect(flight.state()).toEqual({ status: 'failed', error });
  });
});

describe('readFlight', () => {
  it('reads a web stream to its end, and not ahead while it is held', async () => {
    let pulls = 0;
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulls += 1;
          controller.enqueue(Uint8Array.of(pulls));
          if (pulls === 3) controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const flight = readFlight(stream);
    flight.hold();
    await settle();
    expect(pulls).toBe(1);
    flight.resume();
    await settle();
    expect(flight.take()).toEqual([Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)]);
    expect(flight.state()).toEqual({ status: 'ended' });
  });

  it('fails with what the stream failed with', async () => {
    const error = new Error('broken');
    const flight = readFlight(new ReadableStream({ pull: (controller) => controller.error(error) }));
    await settle();
    expect(flight.state()).toEqual({ status: 'failed', error });
  });
});
