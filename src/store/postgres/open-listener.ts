import type { OpenConnection } from './follow-notifications.ts';
import { openPool } from './open-pool.ts';

/** A connection that only listens: one of the store's pool would be missing there. It finds the primary as the others do. */
export function openListener(url: string): OpenConnection {
  return async function open(channel, onMessage, onEnd) {
    const pool = openPool(url, { most: 1, purpose: 'notification' });
    const client = await pool.connect().catch(async (error: unknown) => {
      await pool.end();
      throw error;
    });
    let isOver = false;
    async function close(): Promise<void> {
      if (isOver) return;
      isOver = true;
      // Before the end of the pool, which waits for everybody who has a connection.
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
    try {
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
      return { close };
    } catch (error) {
      await close();
      throw error;
    }
  };
}
