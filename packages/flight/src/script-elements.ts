/**
 * The script elements of an HTML page, in order, found as a browser's tokenizer finds them (HTML Standard, 13.2.5): not
 * in comments, not in other raw text, attributes with their quotes, and `<!--` in a script making `</script>` count only
 * after the `<script` it opened has closed. Nothing of the page is parsed beyond that, and nothing runs.
 */
export type ScriptElement = {
  /** Offsets in the page's text of the code between the tags. */
  start: number;
  end: number;
  code: string;
};

/** Elements whose content is text for the tokenizer: a `<script` in them is no element. */
const rawText = new Set(['style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes', 'template']);

/** Types that run as JavaScript; another type makes a script a block of data. */
const javaScriptTypes = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/i;

const tagStart = /<(?:!--|([a-z][a-z0-9-]*)(?=[\s/>]))/gi;
const attribute = /\s*([^\s=>/"']+)\s*(?:=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?|[\s/"']/y;

/** The offset after the tag's `>`, and the value of its `type`. */
function readTag(html: string, from: number): { end: number; type: string } {
  let type = '';
  attribute.lastIndex = from;
  for (;;) {
    const at = attribute.lastIndex;
    if (at >= html.length || html[at] === '>') return { end: Math.min(at + 1, html.length), type };
    const match = attribute.exec(html);
    if (!match || match[0] === '') return { end: Math.min(at + 1, html.length), type };
    if (match[1]?.toLowerCase() === 'type') type = match[2] ?? match[3] ?? match[4] ?? '';
  }
}

const scriptMark = /<!--|-->|<(\/?)script(?=[\s/>])/gi;

/** Where the code of a script that begins at `from` ends: the `</script` that the tokenizer takes. */
function findScriptEnd(html: string, from: number): number {
  let escape: 'none' | 'comment' | 'script in comment' = 'none';
  scriptMark.lastIndex = from;
  for (let match = scriptMark.exec(html); match; match = scriptMark.exec(html)) {
    if (match[0] === '<!--') escape = escape === 'none' ? 'comment' : escape;
    else if (match[0] === '-->') escape = 'none';
    else if (match[1] === '') escape = escape === 'comment' ? 'script in comment' : escape;
    else if (escape === 'script in comment') escape = 'comment';
    else return match.index;
  }
  return html.length;
}

/** The scripts that a browser would run, whether written in the page or (with an empty `code`) loaded from elsewhere. */
export function* findScripts(html: string): Generator<ScriptElement> {
  const search = new RegExp(tagStart);
  for (let match = search.exec(html); match; match = search.exec(html)) {
    if (match[0] === '<!--') {
      const end = html.indexOf('-->', search.lastIndex - 2);
      if (end < 0) return;
      search.lastIndex = end + 3;
      continue;
    }
    const name = (match[1] ?? '').toLowerCase();
    const tag = readTag(html, search.lastIndex);
    search.lastIndex = tag.end;
    if (rawText.has(name)) {
      const end = html.slice(tag.end).search(new RegExp(`</${name}[\\s/>]`, 'i'));
      if (end < 0) return;
      search.lastIndex = tag.end + end;
    }
    if (name !== 'script') continue;
    const end = findScriptEnd(html, tag.end);
    if (javaScriptTypes.test(tag.type.trim())) yield { start: tag.end, end, code: html.slice(tag.end, end) };
    search.lastIndex = end;
  }
}
