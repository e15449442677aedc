/** `flight-recorder/waku` in Node: in an app's waku.config.ts. Inside of the app it is src/waku/app (inside-modules.ts). */
export { flightRecorder } from './flight-recorder.ts';
export { FlightRecorder, Link, useNavigate } from './outside-waku.ts';
