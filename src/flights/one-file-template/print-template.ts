import { buildTemplate } from './build-template.ts';
import { writeTemplate } from './template-file.ts';

/** Builds the template and prints it: a process of its own for the dev server, whose bundler must not bundle a bundler. */
process.stdout.write(writeTemplate(await buildTemplate()));
