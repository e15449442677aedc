type MeterProps = {
  /** Of `most`, each drawn after the one before. */
  readonly parts: readonly { readonly value: number; readonly className?: string }[];
  readonly most: number;
};

const width = 100;
/** Something beside a thousand times as much must still be seen. */
const leastWidth = 1.5;

/** How much something is beside the most of its kind in the list. The number stands beside it: it is only a picture. */
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
