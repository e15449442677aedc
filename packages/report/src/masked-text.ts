/** What React's Flight client says in place of a server's error in production: its text, or its number in a build (19.3). */
export const maskedText = /^(?:An error occurred in the Server Components render|Minified React error #441)\b/;
