/**
 * Which worker does what is done once for the server (retention, alerts, …): of those that want to, the one that asked first. When it
 * ends or gives it back, the next one does.
 */
export type Appointments = {
  readonly want: (worker: number, name: string) => void;
  readonly giveBack: (worker: number, name: string) => void;
  /** It has ended. */
  readonly forget: (worker: number) => void;
};

/** @param appoint tells a worker that it is the one */
export function createAppointments(appoint: (worker: number, name: string) => void): Appointments {
  /** By name, who asked. The first has it. */
  const askers = new Map<string, readonly number[]>();

  function remove(worker: number, name: string): void {
    const before = askers.get(name) ?? [];
    const left = before.filter((one) => one !== worker);
    askers.set(name, left);
    const [first] = left;
    if (first !== undefined && first !== before[0]) appoint(first, name);
  }

  return {
    want(worker, name) {
      const before = askers.get(name) ?? [];
      if (before.includes(worker)) return;
      askers.set(name, [...before, worker]);
      if (before.length === 0) appoint(worker, name);
    },
    giveBack: remove,
    forget(worker) {
      for (const name of askers.keys()) remove(worker, name);
    },
  };
}
