'use client';

import { use } from 'react';

/** Begins in the browser before the forecast is there, and waits in its place. */
export function Forecast({ forecast }: { forecast: Promise<string> | string }) {
  return <p>{typeof forecast === 'string' ? forecast : use(forecast)}</p>;
}
