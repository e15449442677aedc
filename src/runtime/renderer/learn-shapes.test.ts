import { setFlagsFromString } from 'node:v8';

import { describe, expect, it, vi } from 'vitest';

import { learnShapes } from './learn-shapes.ts';

const rendered = vi.hoisted((): unknown[] => []);

vi.mock('virtual:flight-recorder/flight-server', () => ({
  renderToPipeableStream(model: unknown) {
    rendered.push(model);
    return { pipe() {}, abort() {} };
  },
}));

describe('learnShapes', () => {
  it('serialises objects in dictionary mode, each with a name of its own', () => {
    learnShapes();
    const [model] = rendered;
    const objects: unknown[] = Array.isArray(model) ? model : [];
    setFlagsFromString('--allow-natives-syntax');
    const isFast = new Function('object', 'return %HasFastProperties(object);');
    expect(isFast({ name: 0 })).toBe(true);
    expect(objects.filter((object) => isFast(object))).toEqual([]);
    expect(new Set(objects.map((object) => Object.keys(Object(object)).join()))).toHaveProperty('size', objects.length);
    expect(objects.length).toBeGreaterThan(9);
  });
});
