import { createElement } from 'react';
import { hydrateRoot } from 'react-dom/client';

import { Shop, ShopDocument } from './shop.ts';

/** The browser's clock goes on. */
const now = '10:41:09';
const root = document.getElementById('root');
if (root) hydrateRoot(root, createElement(Shop, { now }));
else hydrateRoot(document, createElement(ShopDocument, { now, script: '/client.js' }));
