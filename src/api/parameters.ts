import * as v from 'valibot';

/**
 * What a request of the API may ask for. A parameter that is not known, is there twice or has a value that it does not take is
 * refused by name: a filter that was silently left out would give an answer to another question.
 */
export type Parameter = {
  readonly name: string;
  readonly description: string;
  /** Of the value after it was read. */
  readonly schema: v.GenericSchema<string> | v.GenericSchema<number>;
  /** `list`: it may be there more than once. */
  readonly reads: 'text' | 'integer' | 'list';
};

type ParameterProblem = { readonly name: string; readonly problem: string };

export type ReadParameters =
  | { readonly type: 'read'; readonly fields: URLSearchParams }
  | { readonly type: 'wrong'; readonly problems: readonly ParameterProblem[] };

/** As many as all endpoints together have; the rest of a longer query is not named one by one. */
const problemsNamed = 20;
const longestName = 60;

function readValue(text: string, { reads }: Parameter): string | number {
  return reads === 'integer' && /^\d{1,15}$/.test(text) ? Number(text) : text;
}

function checkOne(parameter: Parameter, texts: readonly string[]): string | undefined {
  if (texts.length > 1 && parameter.reads !== 'list') return 'It is there more than once.';
  for (const text of texts) {
    const result = v.safeParse(parameter.schema, readValue(text, parameter));
    if (!result.success) return result.issues[0].message;
  }
  return undefined;
}

/** @param search the query, with or without `?` */
export function readParameters(known: readonly Parameter[], search: string): ReadParameters {
  const fields = new URLSearchParams(search);
  const problems: ParameterProblem[] = [];
  for (const name of new Set(fields.keys())) {
    const parameter = known.find((one) => one.name === name);
    const names = known.map((one) => one.name).join(', ') || 'none';
    const problem = parameter
      ? checkOne(parameter, fields.getAll(name))
      : `There is no such parameter here. There are: ${names}.`;
    if (problem !== undefined) problems.push({ name: name.slice(0, longestName), problem });
  }
  return problems.length === 0
    ? { type: 'read', fields }
    : { type: 'wrong', problems: problems.slice(0, problemsNamed) };
}

/** A whole number of a query that was checked; undefined where it is not there. */
export function readInteger(fields: URLSearchParams, name: string): number | undefined {
  const text = fields.get(name);
  return text === null ? undefined : Number(text);
}
