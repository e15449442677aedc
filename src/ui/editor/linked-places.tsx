import 'server-only';

import { ownApp } from '#src/store/own-app.ts';

import { EditorLink } from './editor-link.tsx';

/** Names of files that are looked for on the disk: a stack that a browser sent may have any number. */
const mostLinked = 100;

const place = /^(.+?):(\d{1,9})(?::(\d{1,9}))?$/;

type LinkedPlacesProps = {
  /** With places as `src/a.tsx:12` or `src/a.tsx:12:3`, between spaces or parentheses. */
  readonly text: string;
  /** Whose text it is: another app's sources are elsewhere, whatever they are called. */
  readonly app: string;
};

/** A text whose places in sources lead to the editor, where there is one: a component stack, a place of a span. */
export function LinkedPlaces({ text, app }: LinkedPlacesProps) {
  // In production there are no links, and a text in pieces is larger.
  if (!import.meta.env.DEV || app !== ownApp) return text;
  let left = mostLinked;
  return text.split(/([\s()]+)/).map((part, index) => {
    const [, file, line, column = '1'] = place.exec(part) ?? [];
    if (file === undefined || left-- <= 0) return part;
    return (
      <EditorLink key={index} file={file} at={{ line: Number(line), column: Number(column) }}>
        {part}
      </EditorLink>
    );
  });
}

/** The same, for what shows many texts of one app. */
export function linkPlacesOf(app: string) {
  return function linkPlaces(text: string) {
    return <LinkedPlaces text={text} app={app} />;
  };
}
