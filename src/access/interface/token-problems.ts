import { tokensLimit, type TokenProblem } from '#src/access/tokens.ts';

export const tokenProblems: Readonly<Record<TokenProblem, string>> = {
  name: 'No token was made: give it a name of at most 80 characters.',
  days: 'No token was made: that is not a number of days.',
  apps: 'No token was made: choose an app, or all apps.',
  'made-before':
    'The token of this form was made a moment ago, and is not made again. If nobody copied it, revoke it below.',
  'too-many': `No token was made: there are ${tokensLimit} already. Revoke one first.`,
};
