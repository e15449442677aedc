/** What `flight-recorder/waku` is inside an app: in its server components and in its client components. */
export { FlightRecorder, type FlightRecorderProps } from './flight-recorder.tsx';
export type { ErrorPageProps } from './page-boundary.tsx';
export { FlightRecorderLink as Link } from './link.tsx';
export type { LinkProps } from './link-props.ts';
export { useNavigate } from './use-navigate.ts';
