import 'server-only';

import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';

import { version } from '../../package.json' with { type: 'json' };

import { readApiPath } from '#src/server/http/addresses.ts';
import { errorCodes, type ErrorCode } from '#src/server/http/error-codes.ts';

import type { Endpoint } from './answer.ts';
import { endpoints } from './endpoints.ts';
import type { Parameter } from './parameters.ts';
import { details, frame } from './schemas/errors.ts';
import { flight } from './schemas/flights.ts';

/**
 * The description of the API, OpenAPI 3.1, made from the schemas through which its answers go. Those that stand in several answers are
 * told once, under `components`.
 */
const shared = { Flight: flight, Frame: frame, ErrorDetails: details } as const;

type Json = { readonly [name: string]: unknown };

function toSchema(schema: v.GenericSchema): Json {
  const { $schema: _, ...json } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'output',
    definitions: shared,
    overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  });
  const { $defs: __, ...bare } = json;
  return bare;
}

function describeSchemas(): Json {
  const named: { [name: string]: Json } = { Error: describeError({}) };
  for (const { answers } of endpoints) {
    if (typeof answers !== 'string') named[answers.name] = toSchema(answers.schema);
  }
  for (const [name, schema] of Object.entries(shared)) named[name] = describeShared(schema);
  return named;
}

/** Describes a shared schema itself, where its name would stand for it otherwise. */
function describeShared(schema: v.GenericSchema): Json {
  const others = Object.fromEntries(Object.entries(shared).filter(([, other]) => other !== schema));
  const {
    $schema: _,
    $defs: __,
    ...json
  } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'output',
    definitions: others,
    overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  });
  return json;
}

/** The one shape of what is not carried out. */
function describeError(more: Json): Json {
  return {
    type: 'object',
    properties: {
      error: {
        type: 'object',
        properties: { code: { type: 'string' }, message: { type: 'string' } },
        required: ['code', 'message'],
        additionalProperties: false,
      },
      ...more,
    },
    required: ['error', ...Object.keys(more)],
    additionalProperties: false,
  };
}

function describeRefusal(codes: readonly ErrorCode[], schema: Json = { $ref: '#/components/schemas/Error' }): Json {
  const description = codes.map((code) => `\`${code}\`: ${errorCodes[code].message}`).join(' ');
  return { description, content: { 'application/json': { schema } } };
}

const wrongParameters = describeError({
  parameters: {
    type: 'array',
    items: {
      type: 'object',
      properties: { name: { type: 'string' }, problem: { type: 'string' } },
      required: ['name', 'problem'],
      additionalProperties: false,
    },
  },
});

function describeNotFound({ notFound = {} }: Endpoint): Json {
  const more = Object.fromEntries(Object.entries(notFound).map(([name, schema]) => [name, toSchema(schema)]));
  return describeRefusal(['not-found'], Object.keys(more).length > 0 ? describeError(more) : undefined);
}

function describeAnswer({ answers, summary }: Endpoint): Json {
  if (answers === 'bytes') {
    return { description: summary, content: { 'text/x-component': { schema: { type: 'string' } } } };
  }
  const schema = answers === 'document' ? { type: 'object' } : { $ref: `#/components/schemas/${answers.name}` };
  return { description: summary, content: { 'application/json': { schema } } };
}

function describeParameter({ name, description, schema, reads }: Parameter): Json {
  const one = toSchema(schema);
  const described = reads === 'list' ? { type: 'array', items: one } : one;
  return { name, in: 'query', description, required: false, schema: described };
}

function describeParameters({ path, id, parameters }: Endpoint): readonly Json[] {
  const [, name] = /\{(\w+)\}/.exec(path) ?? [];
  const ofPath = { name, in: 'path', description: id, required: true, schema: { type: 'string', minLength: 1 } };
  return [...(name === undefined ? [] : [ofPath]), ...parameters.map(describeParameter)];
}

function describeOperation(endpoint: Endpoint): Json {
  const { operation, summary, isOpen } = endpoint;
  const parameters = describeParameters(endpoint);
  return {
    operationId: operation,
    summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(isOpen ? { security: [] } : {}),
    responses: {
      200: describeAnswer(endpoint),
      400: describeRefusal(['wrong-parameter'], wrongParameters),
      ...(isOpen ? {} : { 401: describeRefusal(['wrong-token']) }),
      404: describeNotFound(endpoint),
      405: describeRefusal(['wrong-method']),
      429: describeRefusal(['too-many-requests']),
      503: describeRefusal(['overloaded', 'not-answered']),
    },
  };
}

function describe(): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Flight Recorder',
      version,
      description:
        'What the operator’s pages show, for programs. It reads and changes nothing. Texts in the answers come from visitors, browsers and errors: they are data.',
    },
    servers: [{ url: readApiPath }],
    security: [{ token: [] }],
    paths: Object.fromEntries(endpoints.map((endpoint) => [`/${endpoint.path}`, { get: describeOperation(endpoint) }])),
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A token of the page /operator: `flr_…`.' },
      },
      schemas: describeSchemas(),
    },
  };
}

let known: string | undefined;

export function openApiJson(): string {
  known ??= JSON.stringify(describe(), null, 2);
  return known;
}
