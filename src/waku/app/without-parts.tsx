import type { FlightRecorderProps } from './flight-recorder.tsx';

/**
 * What `flight-recorder/waku` is inside an app with all parts off. A bundler builds what the runtime imports later even where nobody
 * renders it.
 */
export function FlightRecorder({ children }: FlightRecorderProps) {
  return <>{children}</>;
}

export { FlightRecorderPlainLink as Link } from './plain-link.tsx';
export { usePlainNavigate as useNavigate } from './plain-navigate.ts';
