'use server-entry';

import './client.jsx';
import { Document } from './document.jsx';

export function App({ path }) {
  return <Document path={path} />;
}
