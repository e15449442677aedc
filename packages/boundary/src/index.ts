/** The door of the package: everything that others may use is here. */
export { describeError } from './describe-error.ts';
export { escapeText, toPlainJson } from './escape-text.ts';
export { isRecord } from './is-record.ts';
