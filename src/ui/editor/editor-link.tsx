import 'server-only';

import { readFileSync } from 'node:fs';

import type { ReactNode } from 'react';

import { fillTemplate, type SourcePlace } from './fill-template.ts';
import { findDeclaration } from './find-declaration.ts';
import { findSourceFile } from './find-source-file.ts';
import { readEditor } from './read-editor.ts';

type EditorLinkProps = {
  /** A source of this project, as pages name it. Undefined where its file is not known, or another app's. */
  readonly file: string | undefined;
  /** Where in it, or the name of what stands there; else its beginning. */
  readonly at?: SourcePlace | string;
  readonly children: ReactNode;
};

function findPlace(file: string, at: SourcePlace | string): SourcePlace {
  return typeof at === 'string' ? findDeclaration(readFileSync(file, 'utf8'), at) : at;
}

/** In development, on one's own machine: its children lead to the place in the editor. Elsewhere they are only themselves. */
export function EditorLink({ file, at = '', children }: EditorLinkProps) {
  const editor = file === undefined ? undefined : readEditor();
  if (file === undefined || !editor) return children;
  const found = findSourceFile(file, editor.folders);
  if (found === undefined) return children;
  return (
    <a href={fillTemplate(editor.template, found, findPlace(found, at))} title="Open in the editor">
      {children}
    </a>
  );
}
