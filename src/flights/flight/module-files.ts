/** The source file of each client module of a build, by the module's id: builds number or hash their modules. */
export type ModuleFiles = readonly (readonly [id: string, file: string])[];

/** Of each app. Flights of earlier builds name their modules by id again. */
export const buildsKept = 10;
