import 'server-only';

import { createHmac } from 'node:crypto';

import { formatAppQuery } from '#src/ui/app-query.ts';
import { faultPath, faultsPath, alertsPath, appBuildsPath, guardPath } from '#src/server/http/addresses.ts';
import { deliveryHeader, signatureHeader } from '#src/server/http/flight-headers.ts';

import { routesAddress } from '../describe-alert.ts';
import { countSummed, type AlertContent } from '../message.ts';
import { postMessage } from '../post-message.ts';
import type { ChannelKind } from './channel-kind.ts';
import { hookTarget } from './hook-target.ts';

/** Our own JSON, as docs/alerts.md has it: what is there stays, and more may be added. */
function formatWebhook(content: AlertContent, delivery: string, origin: string): string {
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
      const { first: _first, ...reasons } = content.faults;
      return JSON.stringify({
        type: 'faults.more',
        delivery,
        time,
        count: countSummed(content.faults),
        reasons,
        named: content.named.map(({ id, side, name, message, culprit, app, appName }) => {
          return { id, side, name, message, culprit, app: { id: app, name: appName }, url: origin + faultPath(id) };
        }),
        url: origin + faultsPath,
      });
    }
    case 'tries': {
      const { app, appName, count, more, advisories } = content;
      const url = `${origin}${guardPath}${formatAppQuery(app)}`;
      return JSON.stringify({
        type: 'guard.tries',
        delivery,
        time,
        app: { id: app, name: appName },
        count,
        more,
        advisories,
        url,
      });
    }
    case 'secrets': {
      const { app, appName, count, more, name, place, route } = content;
      const url = `${origin}${guardPath}${formatAppQuery(app)}`;
      return JSON.stringify({
        type: 'guard.secrets',
        delivery,
        time,
        app: { id: app, name: appName },
        count,
        more,
        secret: { name, place, route },
        url,
      });
    }
    case 'caches': {
      const { app, appName, count, more, name, route } = content;
      const url = `${origin}${guardPath}${formatAppQuery(app)}`;
      return JSON.stringify({
        type: 'guard.caches',
        delivery,
        time,
        app: { id: app, name: appName },
        count,
        more,
        answer: { name, route },
        url,
      });
    }
    case 'storms': {
      const { app, appName, count, more, since, type: _, time: __, ...storm } = content;
      return JSON.stringify({
        type: 'guard.storms',
        delivery,
        time,
        app: { id: app, name: appName },
        count,
        more,
        storm: { ...storm, since: new Date(since).toISOString() },
        url: `${origin}${guardPath}${formatAppQuery(app)}`,
      });
    }
    case 'build': {
      const { app, appName, named, type: _, time: __, ...change } = content;
      return JSON.stringify({
        type: 'build.new',
        delivery,
        time,
        app: { id: app, name: appName },
        ...change,
        named: named.map(({ id, name, message, culprit }) => {
          return { id, name, message, culprit, url: origin + faultPath(id) };
        }),
        url: origin + appBuildsPath(app),
      });
    }
    case 'slow': {
      const { app, appName, count, routes, limitMs } = content;
      const url = origin + routesAddress(app);
      const of = { id: app, name: appName };
      return JSON.stringify({ type: 'routes.slow', delivery, time, app: of, count, limitMs, routes, url });
    }
    case 'test':
      return JSON.stringify({ type: 'test', delivery, time, url: origin + alertsPath });
  }
}

/** `t=<seconds since 1970>,v1=<hmac-sha256 of "t.body", in hex>`: the time is signed, so an old message can be refused. */
function signWebhook(body: string, secret: string, now: number): string {
  const time = Math.floor(now / 1000);
  return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;
}

export const webhook: ChannelKind = {
  ...hookTarget,
  name: 'webhook',
  label: 'Webhook',
  says: 'Webhook, signed, with the recorder’s own JSON',
  isSigned: true,
  send({ channel: { target, secret, rules }, id, content, origin, signal }) {
    const body = formatWebhook(content, id, origin);
    const headers = {
      [deliveryHeader]: id,
      ...(secret === undefined ? {} : { [signatureHeader]: signWebhook(body, secret, Date.now()) }),
    };
    return postMessage({ url: target, body, headers, mayReachInside: rules.inside, signal });
  },
};
