// Keeps one comment of the pull request up to date. Without the right to write, as for a fork, the summary of the run has the text.
import { readFileSync } from 'node:fs';

const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_SERVER_URL, GITHUB_RUN_ID, GITHUB_TOKEN, PULL_REQUEST } = process.env;

const mark = '<!-- flight-recorder compare -->';
const issues = `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/issues`;

/** The longest of GitHub's pages; ten of them are more comments than anybody reads. */
const perPage = 100;
const mostPages = 10;

async function ask(method, address, body) {
  const response = await fetch(address, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${GITHUB_TOKEN}`,
      'content-type': 'application/json',
      'x-github-api-version': '2022-11-28',
    },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${new URL(address).pathname} was answered with ${response.status}`);
  return await response.json();
}

async function findOwn() {
  for (let page = 1; page <= mostPages; page++) {
    const comments = await ask('GET', `${issues}/${PULL_REQUEST}/comments?per_page=${perPage}&page=${page}`);
    // A stranger's comment may begin with the mark, too, and would stay the stranger's.
    const own = comments.find(({ body, user }) => user?.type === 'Bot' && body?.startsWith(mark));
    if (own || comments.length < perPage) return own;
  }
  return undefined;
}

if (!PULL_REQUEST) {
  console.log('This run is of no pull request: nothing to comment on.');
  process.exit(0);
}
const run = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`;
const body = `${readFileSync('payloads.md', 'utf8').trimEnd()}\n\n[Each route in the viewer](${run}): the file “payloads” at the end of the page.\n`;
try {
  const own = await findOwn();
  if (own) await ask('PATCH', `${issues}/comments/${own.id}`, { body });
  else await ask('POST', `${issues}/${PULL_REQUEST}/comments`, { body });
} catch (error) {
  console.error(`::warning::The comment could not be written, the summary of this run has it: ${error.message}`);
}
