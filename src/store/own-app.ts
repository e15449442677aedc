/** The app whose pages are this server's own: the lab, and what the operator sees. It has no row in the table `app`. */
export const ownApp = 'flight-recorder';
