import type { OpenConnection } from './follow-news.ts';
import { openPool } from './open-pool.ts';

/** A connection that only listens: one of the store's pool would be missing there. It finds the primary as the others do. */
export function openListener(url: string): OpenConnection {
  return async function open(channel, onMessage, onEnd) {
    const pool = openPool(url, { most: 1, purpose: 'news' });
    try {
      const client = await pool.connect();
      let isOver = false;
      async function close(): Promise<void> {
        if (isOver) return;
        isOver = true;
        client.release(true);
        await pool.end();
      }
      async function endByItself(): Promise<void> {
        if (isOver) return;
        await close();
        onEnd();
      }
      client.on('error', () => void endByItself());
      client.on('end', () => void endByItself());
      client.on('notification', ({ payload = '' }) => onMessage(payload));
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
      return { close };
    } catch (error) {
      await pool.end();
      throw error;
    }
  };
}
