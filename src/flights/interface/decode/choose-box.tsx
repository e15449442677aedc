import type { Chosen } from './decode-address.ts';

/** A flight that was ticked, to be compared. */
export type ChosenFlight = Chosen & { readonly title: string };

export type Choosing = {
  readonly chosen: readonly ChosenFlight[];
  readonly onToggle: (flight: ChosenFlight) => void;
};

export function isChosen(chosen: readonly ChosenFlight[], { file, flight }: Chosen): boolean {
  return chosen.some((other) => other.file === file && other.flight === flight);
}

type ChooseBoxProps = {
  readonly flight: ChosenFlight;
  readonly choosing: Choosing;
  /** Beside the box. */
  readonly text?: string;
};

/** Ticks a flight to be compared with another. */
export function ChooseBox({ flight, choosing, text }: ChooseBoxProps) {
  const isOn = isChosen(choosing.chosen, flight);
  return (
    <label className="choose-box" title="Compare it with another">
      <input
        type="checkbox"
        checked={isOn}
        disabled={!isOn && choosing.chosen.length >= 2}
        aria-label={`Compare ${flight.title}`}
        onChange={() => choosing.onToggle(flight)}
      />
      {text}
    </label>
  );
}
