import 'server-only';

import { isMailAddress } from '#src/server/environment/mail-entries.ts';

import type { ChannelKind } from './channel-kind.ts';
import { formatEmail } from './format-email.ts';
import { readMail, sendEmail } from './send-email.ts';

export const email: ChannelKind = {
  name: 'email',
  label: 'E-mail',
  says: 'E-mail',
  isSigned: false,
  readLack: () =>
    readMail()
      ? undefined
      : 'set SMTP_URL and ALERT_FROM and restart the server; beside an app that “run” starts, the two are the app’s',
  checkTarget: (target) => (isMailAddress(target) ? undefined : 'email'),
  normaliseTarget: (target) => target,
  describeTarget: (target) => target,
  send: ({ channel, content, origin, signal }) => sendEmail(channel.target, formatEmail(content, origin), signal),
};
