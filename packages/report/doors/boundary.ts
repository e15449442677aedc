/** `imports` of package.json may name files of this package alone; this one leads to the door of the other. */
export * from '../../boundary/src/index.ts';
