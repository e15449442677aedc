'use client-entry';

import { fetchRSC, hydrate } from '@parcel/rsc/client';

import { listenToLinks } from './listen-to-links.js';

const show = hydrate({
  async callServer(id, body) {
    const answer = await fetchRSC(location.pathname, { method: 'POST', headers: { 'rsc-action-id': id }, body });
    show(answer.root);
    return answer.result;
  },
});

listenToLinks(async () => show(await fetchRSC(location.pathname)));
