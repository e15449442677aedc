import { flightRecorder } from 'flight-recorder/waku';
import { defineConfig } from 'waku/config';

export default defineConfig({
  vite: {
    plugins: [flightRecorder()],
  },
});
