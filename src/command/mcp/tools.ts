import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';

import { appParameter, choosingParameters, faultParameters, flightParameters } from '#src/api/list-parameters.ts';
import type { Parameter } from '#src/api/parameters.ts';
import { lookedUp, nearDigest } from '#src/api/schemas/errors.ts';
import { faultDetails, faultList } from '#src/api/schemas/faults.ts';
import { flightDetails, flightList } from '#src/api/schemas/flights.ts';
import { searchField } from '#src/ui/search-field.ts';

/**
 * The tools: what each takes, which question of the API it is, and what it answers. Their arguments are the API's parameters, and the
 * API checks them.
 */
export type Tool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Below `/api/v1/`. */
  readonly path: string;
  /** The argument that stands in the place of `{…}`. */
  readonly id?: { readonly name: string; readonly description: string };
  readonly parameters: readonly Parameter[];
  /** Parameters by another name than the API's. */
  readonly renamed?: Readonly<Record<string, string>>;
  readonly required: readonly string[];
  readonly answer: v.GenericSchema;
};

/** As many as an agent reads. The API takes more. */
export const rowsAtMost = 25;
export const rowsUsually = 10;

const limit: Parameter = {
  name: 'limit',
  description: `How many at most; ${rowsUsually} where it is not said.`,
  schema: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(rowsAtMost)),
  reads: 'integer',
};

function pick(from: readonly Parameter[], ...names: readonly string[]): Parameter[] {
  return from.filter(({ name }) => names.includes(name));
}

const ofFaults = pick(
  faultParameters,
  'app',
  'state',
  'side',
  'level',
  'since',
  'release',
  'first-release',
  'environment',
  'route',
  'sort',
  'after',
);
const ofFlights = pick(
  flightParameters,
  'app',
  'own',
  'kind',
  'route',
  'status',
  'build',
  'digest',
  'slow',
  'large',
  'sort',
  'before',
);
const words: Parameter = {
  name: 'text',
  description: 'Words of an error (its type, its message, a file, a tag), or the id of a trace.',
  schema: v.pipe(v.string(), v.nonEmpty(), v.maxLength(1_000)),
  reads: 'text',
};

export const tools: readonly Tool[] = [
  {
    name: 'look_up_digest',
    title: 'Look up a digest',
    description:
      'What is behind the digest of an error page, such as 3F7K2-M9QRT or 2338734591: the error with its cause, the line of the source, the request, what happened before it, how often. Takes any spelling, an event’s id or a fault’s id. Where many visitors have the same digest, say about when it was (at) and on which page (path): choice says whether the answer is sure or a guess. Where several apps have the digest, it lists them: ask again with app. Of an error that was deleted it names the fault. Where nothing is stored, it names digests that are one slip away.',
    path: 'errors/{code}',
    id: { name: 'code', description: 'What the visitor read out or pasted.' },
    parameters: [appParameter, ...choosingParameters],
    required: ['code'],
    answer: lookedUp,
  },
  {
    name: 'list_faults',
    title: 'List faults',
    description: 'Faults of the recorded apps: what broke, how often, since when. Open ones unless a state is named.',
    path: 'faults',
    parameters: [...ofFaults, limit],
    required: [],
    answer: faultList,
  },
  {
    name: 'get_fault',
    title: 'Read a fault',
    description: 'One fault: its latest error with stack and cause, its spread over releases and routes, its log.',
    path: 'faults/{id}',
    id: { name: 'id', description: 'Its id, of eight characters.' },
    parameters: [],
    required: ['id'],
    answer: faultDetails,
  },
  {
    name: 'search',
    title: 'Search errors',
    description: 'Faults with an error that has these words, in any state.',
    path: 'faults',
    parameters: [words, ...ofFaults, limit],
    renamed: { text: searchField },
    required: ['text'],
    answer: faultList,
  },
  {
    name: 'list_flights',
    title: 'List flights',
    description:
      'Recorded responses with React Server Components payloads: route, status, sizes, times. The newest first.',
    path: 'flights',
    parameters: [...ofFlights, limit],
    required: [],
    answer: flightList,
  },
  {
    name: 'get_flight',
    title: 'Read a flight',
    description:
      'One recorded response: its sizes, when its chunks were written, what there is to say about its payload, and what the server waited for meanwhile, with component and line where the app told it.',
    path: 'flights/{id}',
    id: { name: 'id', description: 'Its number.' },
    parameters: [],
    required: ['id'],
    answer: flightDetails,
  },
];

/** What every tool answers: the warning stands in front of what it is about. */
function describeResult({ answer }: Tool): v.GenericSchema {
  const entries: v.ObjectEntries = {
    notice: v.string(),
    isShortened: v.pipe(v.boolean(), v.description('Texts and lists were cut to the bound of an answer.')),
    problem: v.pipe(v.nullable(v.string()), v.description('Why there is no answer.')),
    near: v.pipe(v.array(nearDigest), v.description('Digests that are one slip away from what was looked up.')),
    answer: v.nullable(answer),
  };
  return v.object(entries);
}

type JsonObject = { type: 'object'; [name: string]: unknown };

function describeArguments({ id, parameters, required }: Tool): JsonObject {
  const ofPath = id ? { [id.name]: { type: 'string', description: id.description } } : {};
  const ofQuery = parameters.map(({ name, description, schema, reads }) => {
    const { $schema: _, ...one } = toJsonSchema(schema);
    return [name, reads === 'list' ? { type: 'array', items: one, description } : { ...one, description }] as const;
  });
  const properties = { ...ofPath, ...Object.fromEntries(ofQuery) };
  return { type: 'object', properties, required: [...required], additionalProperties: false };
}

function describeOutput(tool: Tool): JsonObject {
  const { $schema: _, ...json } = toJsonSchema(describeResult(tool), { typeMode: 'output' });
  return { ...json, type: 'object' };
}

/** Lists the tools in the form of the protocol. None changes anything, or reaches beyond the recording. */
export function listTools() {
  return tools.map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: describeArguments(tool),
    outputSchema: describeOutput(tool),
    annotations: {
      title: tool.title,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  }));
}
