import { redwood } from 'rwsdk/vite';
import { defineConfig } from 'vite';

export default defineConfig({ plugins: [redwood({ includeCloudflarePlugin: true })] });
