import { afterEach, describe, expect, it, vi } from 'vitest';

import type { ReactDestination } from './flight.ts';
import { createHtmlWriter } from './html-writer.ts';

function openWriter() {
  const destinations: ReactDestination[] = [];
  const sent: string[] = [];
  const flight = { hold: vi.fn(), resume: vi.fn() };
  const release = vi.fn();
  const sink = {
    hasRoom: true,
    write: vi.fn((bytes: Uint8Array) => {
      sent.push(Buffer.from(bytes).toString());
      return sink.hasRoom;
    }),
    end: vi.fn((bytes: Uint8Array) => void sent.push(Buffer.from(bytes).toString())),
    destroy: vi.fn(),
  };
  let shell: readonly string[] = [];
  let isWhole = false;
  const writer = createHtmlWriter({
    nonce: undefined,
    flight,
    cancel: vi.fn(),
    release,
    pipe(destination) {
      destinations.push(destination);
      for (const chunk of shell) destination.write(chunk);
      destination.flush();
      if (isWhole) destination.end();
    },
  });
  function html(): ReactDestination {
    const [destination] = destinations;
    if (!destination) throw new Error('Not started');
    return destination;
  }
  function start(chunks: readonly string[], whole = false): string {
    shell = chunks;
    isWhole = whole;
    const first = writer.start(sink);
    sent.push(Buffer.from(first.bytes).toString());
    return `${first.isComplete ? 'complete' : 'begun'}:${Buffer.from(first.bytes).toString()}`;
  }
  return { writer, flight, release, sink, sent, html, start };
}

const nextTick = () => new Promise<void>((resolve) => process.nextTick(resolve));
const row = (text: string) => `<script>(self.__FLIGHT_DATA||=[]).push(${JSON.stringify(text)});</script>`;

afterEach(() => vi.restoreAllMocks());

describe('createHtmlWriter', () => {
  it('is one piece, with all rows in one script before the closing tags, when nothing is left to wait for', async () => {
    const { writer, sink, release, start } = openWriter();
    writer.addFlight(['0:1\n', Buffer.from('1:2\n')]);
    writer.addFlight(['2:3\n']);
    writer.endFlight();
    const first = start(['<html><body>', 'page</bo', 'dy></html>'], true);
    expect(first).toBe(`complete:<html><body>page${row('0:1\n1:2\n2:3\n')}</body></html>`);
    await nextTick();
    expect(sink.write).not.toHaveBeenCalled();
    expect(sink.end).not.toHaveBeenCalled();
    expect(release).toHaveBeenCalledOnce();
  });

  it('writes rows only after the shell, and joins what comes in one turn into one write', async () => {
    const { writer, html, sent, start } = openWriter();
    writer.addFlight(['0:1\n']);
    await nextTick();
    expect(start(['<html><body>shell'])).toBe(`begun:<html><body>shell${row('0:1\n')}`);
    html().write('<div hidden>late</div>');
    writer.addFlight(['1:2\n']);
    writer.addFlight(['2:3\n']);
    html().flush();
    expect(sent).toHaveLength(1);
    await nextTick();
    expect(sent.slice(1)).toEqual([`<div hidden>late</div>${row('1:2\n2:3\n')}`]);
  });

  it('closes the document once, after the last row, whichever half ends first', async () => {
    const htmlFirst = openWriter();
    expect(htmlFirst.start(['<html><body>page', '</body></html>'], true)).toBe('begun:<html><body>page');
    htmlFirst.writer.addFlight(['0:1\n']);
    await nextTick();
    expect(htmlFirst.release).not.toHaveBeenCalled();
    htmlFirst.writer.endFlight();
    await nextTick();
    expect(htmlFirst.sent.join('')).toBe(`<html><body>page${row('0:1\n')}</body></html>`);
    expect(htmlFirst.sink.end).toHaveBeenCalledTimes(1);
    expect(htmlFirst.release).toHaveBeenCalledOnce();

    const flightFirst = openWriter();
    flightFirst.writer.addFlight(['0:1\n']);
    flightFirst.writer.endFlight();
    flightFirst.start(['<html><body>shell']);
    flightFirst.html().write('late</body></html>');
    flightFirst.html().flush();
    flightFirst.html().end();
    await nextTick();
    expect(flightFirst.sent.join('')).toBe(`<html><body>shell${row('0:1\n')}late</body></html>`);
    expect(flightFirst.sink.end).toHaveBeenCalledTimes(1);
  });

  it('puts back closing tags that were the page’s own', async () => {
    const { writer, html, sent, start } = openWriter();
    start(['<html><body><iframe srcdoc="</body></html>']);
    html().write('"></iframe></body></html>');
    html().flush();
    html().end();
    writer.addFlight(['0:1\n']);
    writer.endFlight();
    await nextTick();
    expect(sent.join('')).toBe(`<html><body><iframe srcdoc="</body></html>"></iframe>${row('0:1\n')}</body></html>`);
  });

  it('stops both halves while the reader is slow, and lets both go on', async () => {
    const { writer, flight, sink, html, start } = openWriter();
    const drain = vi.fn();
    start(['<html><body>shell']);
    html().on('drain', drain);
    sink.hasRoom = false;
    expect(html().write('one')).toBe(true);
    html().flush();
    await nextTick();
    expect(flight.hold).toHaveBeenCalledTimes(1);
    expect(html().write('two')).toBe(false);
    expect(drain).not.toHaveBeenCalled();
    writer.resume();
    expect(drain).toHaveBeenCalledTimes(1);
    expect(flight.resume).toHaveBeenCalledTimes(1);
    expect(html().write('three')).toBe(true);
  });

  it('hands a failure after the shell to the reader', () => {
    const { sink, html, start } = openWriter();
    start(['<html><body>shell']);
    const error = new Error('broken');
    html().destroy(error);
    expect(sink.destroy).toHaveBeenCalledExactlyOnceWith(error);
  });
});
