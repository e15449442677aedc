import type { PanelProps } from './opened-flight.ts';
export function WaterfallPanel({ opened }: PanelProps) {
  return <p>{opened.title}</p>;
}
