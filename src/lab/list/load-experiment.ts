import 'server-only';

import type { ComponentType } from 'react';

import type { Experiment, ExperimentProps } from './experiment.ts';

function isComponent(value: unknown): value is ComponentType<ExperimentProps> {
  return typeof value === 'function';
}

function readDefault(module: unknown): unknown {
  return typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
}

/** The component of an experiment. @throws what its file throws when it is evaluated */
export async function loadExperiment({
  file,
  load,
}: Extract<Experiment, { status: 'working' }>): Promise<ComponentType<ExperimentProps>> {
  const component = readDefault(await load());
  if (!isComponent(component)) throw new Error(`The default export of ${file} is no component`);
  return component;
}
