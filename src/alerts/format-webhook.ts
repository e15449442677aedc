import 'server-only';

import { createHmac } from 'node:crypto';

import { faultPath, faultsPath, alertsPath } from '#src/http/addresses.ts';

import { countSummed, type AlertContent } from './message.ts';

/** Our own JSON, as docs/alerts.md has it: what is there stays, and more may be added. */
export function formatWebhook(content: AlertContent, delivery: string, origin: string): string {
  const time = new Date(content.time).toISOString();
  switch (content.type) {
    case 'fault': {
      const { reason, more, inHour } = content;
      const { app, appName, firstTime, lastTime, ...fault } = content.fault;
      return JSON.stringify({
        type: `fault.${reason}`,
        delivery,
        time,
        fault: {
          ...fault,
          app: { id: app, name: appName },
          first: new Date(firstTime).toISOString(),
          last: new Date(lastTime).toISOString(),
          url: origin + faultPath(fault.id),
        },
        more,
        inHour,
      });
    }
    case 'summary': {
      const { faults } = content;
      return JSON.stringify({
        type: 'faults.more',
        delivery,
        time,
        count: countSummed(faults),
        reasons: faults,
        url: origin + faultsPath,
      });
    }
    case 'test':
      return JSON.stringify({ type: 'test', delivery, time, url: origin + alertsPath });
  }
}

/** `t=<seconds since 1970>,v1=<hmac-sha256 of "t.body", in hex>`: the time is signed, so an old message can be refused. */
export function signWebhook(body: string, secret: string, now: number): string {
  const time = Math.floor(now / 1000);
  return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;
}
