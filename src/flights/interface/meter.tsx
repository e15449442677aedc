type MeterProps = {
  /** Parts of `most`, each drawn after the one before. */
  readonly parts: readonly { readonly value: number; readonly className?: string }[];
  readonly most: number;
};

const width = 100;
/** Something must still be visible beside a thousand times as much. */
const leastWidth = 1.5;

/** Compares one value with the largest of its kind in the list. The number stands beside it: this is only a picture. */
export function Meter({ parts, most }: MeterProps) {
  const widths = parts.map(({ value }) => (value <= 0 || most <= 0 ? 0 : Math.max(leastWidth, (value / most) * width)));
  return (
    <svg className="meter" viewBox={`0 0 ${width} 4`} preserveAspectRatio="none" aria-hidden="true">
      {parts.map(({ className }, index) => (
        <rect
          key={index}
          x={widths.slice(0, index).reduce((sum, each) => sum + each, 0)}
          width={widths[index]}
          height="4"
          {...(className ? { className } : {})}
        />
      ))}
    </svg>
  );
}
