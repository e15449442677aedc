import type { Column } from '#viewer/table.tsx';

import { Moment } from './moment.tsx';

/** A column of times, each as its age. */
export function timeColumn<Row>(head: string, now: number, timeOf: (row: Row) => number): Column<Row> {
  return { head, className: 'whitespace-nowrap', cell: (row) => <Moment time={timeOf(row)} now={now} isDense /> };
}
