/** What leads to the page of an error, or finds faults: the one search box. Its field's name in an address. */
export const searchField = 'q';
