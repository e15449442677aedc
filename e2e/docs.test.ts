import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { glossary } from '#viewer/glossary.ts';

const root = path.join(import.meta.dirname, '..');

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

function countWords(file: string): number {
  return read(file).split(/\s+/).filter(Boolean).length;
}

function listFiles(...patterns: string[]): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns];
  const files = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n');
  return files.filter((file) => file && existsSync(path.join(root, file)));
}

const guides = listFiles('docs/*.md').filter((file) => path.dirname(file) === 'docs');

/** Reads `file` “title”, “title”; `file` “title”: a title belongs to the file before it. */
function listNamedTests(text: string): { file: string; titles: string[] }[] {
  const named: { file: string; titles: string[] }[] = [];
  for (const [, file, title] of text.matchAll(/`([\w/.-]+\.(?:test|spec|nightly)\.tsx?)`|“([^”]+)”/g)) {
    if (file) named.push({ file, titles: [] });
    else if (title) named.at(-1)?.titles.push(title.replaceAll(/\s+/g, ' '));
  }
  return named;
}

/** The entries of a list, each with the title that it begins with, in bold. */
function listEntries(file: string): { title: string; text: string }[] {
  const kept = read(file).split('\n## What is not promised')[0] ?? '';
  return kept.split(/\n(?=- |## )/).flatMap((text) => {
    const title = /^- \*\*(.+?)[.,]?\*\*/s.exec(text)?.[1];
    return title === undefined ? [] : [{ title: title.replaceAll(/\s+/g, ' '), text }];
  });
}

describe.each([
  ['security', 15],
  ['untrusted-input', 15],
  ['reliability', 25],
])('the promises of docs/%s.md', (name, least) => {
  const proofs = listEntries(`docs/${name}-proofs.md`);

  it('have tests with titles, each under the title of its promise', () => {
    const promises = listEntries(`docs/${name}.md`).map(({ title }) => title);
    expect(promises.length).toBeGreaterThan(least);
    expect(proofs.map(({ title }) => title)).toEqual(promises);
    const bare = proofs.filter(({ text }) => !listNamedTests(text).some(({ titles }) => titles.length > 0));
    expect(bare).toEqual([]);
  });
});

it('every test that a guide names exists', () => {
  const named = guides.flatMap((guide) => listNamedTests(read(guide)));
  expect(named.length).toBeGreaterThan(100);
  const missing = named.flatMap(({ file, titles }) => {
    if (!existsSync(path.join(root, file))) return [file];
    const source = read(file);
    return titles.filter((title) => !source.includes(title)).map((title) => `${file}: ${title}`);
  });
  expect(missing).toEqual([]);
});

it('no guide has more than 2,000 words', () => {
  // What `npm run bench all` printed is looked up, and not read.
  const toRead = guides.filter((guide) => guide !== 'docs/figures.md');
  expect(toRead.filter((guide) => countWords(guide) > 2000).map((guide) => [guide, countWords(guide)])).toEqual([]);
});

/** What an error was called before it was an **error**: in a report of a browser *untrusted*. `?occurrence=` stands in older messages. */
const retired = /\b(?:incidents?|occurrences?|claims)\b/i;

it('docs and interface call an error by its one word', () => {
  const files = listFiles('README.md', 'AGENTS.md', 'docs/**/*.md', 'src/**/*.tsx', 'packages/viewer/src/**/*.tsx');
  const lines = files
    .filter((file) => !file.includes('.test.'))
    .flatMap((file) =>
      read(file)
        .split('\n')
        .flatMap((line) => (retired.test(line) ? [`${file}: ${line.trim()}`] : [])),
    );
  expect(files.length).toBeGreaterThan(300);
  expect(lines.filter((line) => !line.includes('?occurrence='))).toEqual([]);
});

it('the page of tasks leads to every guide', () => {
  const tasks = read('docs/README.md');
  const names = guides.map((guide) => path.basename(guide)).filter((name) => name !== 'README.md');
  expect(names.filter((name) => !tasks.includes(`](${name}`))).toEqual([]);
});

/** Where headings can be linked to, as GitHub makes it. No guide has two headings with the same words. */
function listAnchors(text: string): Set<string> {
  const headings = text.replaceAll(/^```.*?^```/gms, '').matchAll(/^#{1,6} (.+)$/gm);
  const slugs = Array.from(headings, ([, heading = '']) => heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, ''));
  return new Set(slugs.map((slug) => slug.trim().replaceAll(/\s/g, '-')));
}

describe('links', () => {
  const pages = listFiles('*.md');

  it('from one page to another, and to a heading, lead somewhere', () => {
    let count = 0;
    const broken = pages.flatMap((page) =>
      Array.from(read(page).matchAll(/\]\((?![a-z]+:|\/)([^)#\s]*)(?:#([^)\s]*))?\)/g)).flatMap(
        ([link, file, anchor]) => {
          const target = file ? path.join(path.dirname(page), file) : page;
          count += 1;
          const isThere =
            existsSync(path.join(root, target)) && (anchor === undefined || listAnchors(read(target)).has(anchor));
          return isThere ? [] : [`${page}: ${link}`];
        },
      ),
    );
    expect(count).toBeGreaterThan(150);
    expect(broken).toEqual([]);
  });

  it('from code, messages and pages to a guide or a decision lead somewhere', () => {
    const sources = listFiles(
      'src',
      'packages',
      'bin',
      'scripts',
      'e2e',
      'reliability',
      'bench',
      'deploy',
      'examples',
      '*.md',
      '*.ts',
    );
    const mentions = sources
      .filter((file) => /\.(?:[cm]?[jt]sx?|css|md|json|ya?ml|conf|service)$|file$/.test(file))
      .flatMap((file) =>
        Array.from(read(file).matchAll(/(?<![\w/])docs\/[\w/-]+\.md\b/g), ([mention]) => ({ file, mention })),
      );
    expect(mentions.length).toBeGreaterThan(50);
    expect(mentions.filter(({ mention }) => !existsSync(path.join(root, mention)))).toEqual([]);
  });
});

describe('a decision', () => {
  const decisions = listFiles('docs/decisions/0*.md').toSorted();
  const numbers = new Set(decisions.map((file) => path.basename(file).slice(0, 3)));

  /** As code and guides write them: (038), decision 038, docs/decisions/038. */
  function listNumbers(text: string): string[] {
    const named = text.matchAll(/\((0\d\d(?:, 0\d\d)*)\)|(?:\b[Dd]ecisions? |decisions\/)(0\d\d)\b/g);
    return Array.from(named, ([, several, one]) => (several ?? one ?? '').split(', ')).flat();
  }

  it('that is named is there', () => {
    const files = listFiles('src', 'packages', 'bin', 'scripts', 'e2e', 'reliability', 'bench', '*.md', '*.ts').filter(
      (file) => /\.(?:[cm]?[jt]sx?|css|md)$/.test(file),
    );
    const named = files.flatMap((file) => listNumbers(read(file)).map((number) => ({ file, number })));
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter(({ number }) => !numbers.has(number))).toEqual([]);
  });

  it('has a subject of its own, which the index names, and at most 400 words', () => {
    expect(numbers.size).toBe(decisions.length);
    const index = read('docs/decisions/README.md');
    const titles = decisions.map((file) => {
      const title = /^# (.+)\n/.exec(read(file))?.[1] ?? '';
      return `- [${path.basename(file).slice(0, 3)}](${path.basename(file)}) ${title}`;
    });
    expect(index.match(/^- .+/gm)).toEqual(titles);
    expect(decisions.filter((file) => countWords(file) > 400)).toEqual([]);
  });
});

it('AGENTS.md says the words of the interface as the interface says them, in fifteen lines', () => {
  const section = read('AGENTS.md').split('\n## Words\n')[1]?.split('\n## ')[0] ?? '';
  const words = Array.from(
    section.matchAll(/^- \*\*([a-z]+)\*\*: (.+)$/gm),
    ([, word = '', meaning]) => [word, meaning] as const,
  );
  expect(words.length).toBeLessThanOrEqual(15);
  expect(Object.fromEntries(words)).toMatchObject(glossary);
  // The project's own, which the interface does not explain.
  expect(words.map(([word]) => word).filter((word) => !(word in glossary))).toEqual(['app', 'build', 'alert']);
});

it('AGENTS.md names places that are there', () => {
  const section = read('AGENTS.md').split('\n## Where a change begins\n')[1]?.split('\n## ')[0] ?? '';
  const named = Array.from(section.matchAll(/`((?:src|packages)\/[^`]+)`/g), ([, file = '']) => file);
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});

/** Files of a reader's own, in examples. */
const ofReaders = new Set(['src/pages/_layout.tsx', 'src/lab/greeting.tsx', 'src/lab/greeting/greeting.tsx']);

/** `a/{b,c}.ts` → `a/b.ts`, `a/c.ts` */
function spellOut(named: string): string[] {
  const [, before = '', choices = '', after = ''] = /^(.*?)\{([^}]*)\}(.*)$/.exec(named) ?? [];
  return choices === '' ? [named] : choices.split(',').flatMap((choice) => spellOut(`${before}${choice}${after}`));
}

it('no document names a path that is not there', () => {
  const pattern = /`((?:src|packages|e2e|reliability|bench|scripts|bin|deploy|examples|public)\/[^`\s]+)`/g;
  const named = listFiles('*.md').flatMap((file) =>
    Array.from(read(file).matchAll(pattern), ([, text = '']) => text).flatMap((text) =>
      spellOut(text).map((one) => ({ file, path: one })),
    ),
  );
  expect(named.length).toBeGreaterThan(100);
  const missing = named.filter(
    ({ path: one }) => !/[<*]/.test(one) && !ofReaders.has(one) && !existsSync(path.join(root, one)),
  );
  expect(missing).toEqual([]);
});

it('no comment has a line of more than 140 characters', () => {
  const files = listFiles('src', 'packages', 'bin', 'scripts', 'e2e', 'reliability', 'bench', '*.ts');
  const long = files
    .filter((file) => /\.(?:[cm]?[jt]sx?|css)$/.test(file) && !file.includes('/fixtures/'))
    .flatMap((file) =>
      read(file)
        .split('\n')
        .flatMap((line, at) => (line.length > 140 && /^\s*(?:\/\/|\/?\*)/.test(line) ? [`${file}:${at + 1}`] : [])),
    );
  expect(long).toEqual([]);
});
