/**
 * What the app imports from `flight-recorder/waku`, where no Waku build has put the app's side in its place: a component test, a script.
 * The names are there, so that a module which uses one of them can be loaded; React or the test says what to do when it is used.
 */
function refuse(name: string): never {
  throw new Error(
    `${name} of flight-recorder/waku works inside Waku's build alone; in a component test, put your own in its place: ` +
      `vi.mock('flight-recorder/waku', () => ({ ${name}: … }))`,
  );
}

export function FlightRecorder(): never {
  return refuse('FlightRecorder');
}

export function Link(): never {
  return refuse('Link');
}

export function useNavigate(): never {
  return refuse('useNavigate');
}
