import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, it } from 'vitest';

import { isRecord } from '#boundary';

import { endpoints } from './endpoints.ts';
import { openApiJson } from './openapi.ts';

const text = openApiJson();
const described: unknown = JSON.parse(text);

it('is a valid document of OpenAPI 3.1', async () => {
  const validator = new Validator();
  const result = await validator.validate(JSON.parse(text));
  expect(result.errors ?? []).toEqual([]);
  expect([result.valid, validator.version]).toEqual([true, '3.1']);
});

it('describes every endpoint, with every parameter and its own errors', () => {
  if (!isRecord(described) || !isRecord(described['paths'])) throw new Error('no paths');
  expect(Object.keys(described['paths'])).toEqual(endpoints.map(({ path }) => `/${path}`));
  for (const { path, parameters } of endpoints) {
    const written = JSON.stringify(described['paths'][`/${path}`]);
    for (const { name } of parameters) expect(written).toContain(`"name":"${name}","in":"query"`);
    expect(written).toMatch(/"400":.*wrong-parameter.*"404":.*"429":/);
  }
});

it('refers to nothing that is not in it', () => {
  const names = new Set(Array.from(text.matchAll(/"#\/components\/schemas\/(\w+)"/g), ([, name]) => name));
  expect([...names].toSorted()).toEqual([
    'Apps',
    'Error',
    'ErrorDetails',
    'FaultDetails',
    'FaultList',
    'Flight',
    'FlightDetails',
    'FlightList',
    'Frame',
    'LeakList',
    'LookedUp',
    'Root',
    'RouteList',
    'StormList',
    'TryList',
  ]);
  expect(text).not.toContain('#/$defs');
});
