import * as Sentry from '@sentry/node';

/** An app that has nothing of ours but a DSN: `SENTRY_DSN`. It reports what the test looks for, and ends. */
Sentry.init({
  release: 'shop@1.2.3',
  environment: 'staging',
  tracesSampleRate: 1,
  integrations: [Sentry.extraErrorDataIntegration()],
  transportOptions: { headers: { connection: 'close' } },
});

function pay(): never {
  throw new TypeError('the basket is empty', { cause: new RangeError('no such item') });
}

function attempt(run: () => void): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

Sentry.setTag('color', 'red');
Sentry.setUser({ id: 7, email: 'jane@example.org', ip_address: '203.0.113.9' });
Sentry.addBreadcrumb({ category: 'cart', message: 'added an item', level: 'info' });
Sentry.setExtra('basket', { size: 3, token: 'abc' });
const id = Sentry.captureException(attempt(pay));
Sentry.captureMessage('a message alone', 'warning');
Sentry.captureFeedback({ message: 'it broke when I paid', name: 'Jane', associatedEventId: id });

// As Next.js writes an error of a server component, and @sentry/nextjs then reports it.
const digested = Object.assign(new Error('the digest is in a console line'), { digest: '2338734591@E394' });
console.error(' ⨯', digested);
Sentry.captureException(new Error(digested.message));

Sentry.withScope((scope) => {
  // Above 32 KiB the SDK packs with gzip, and sends in chunks.
  scope.setExtra(
    'large',
    Array.from({ length: 400 }, (_, index) => `${index} ${'x'.repeat(200)}`),
  );
  Sentry.captureException(Object.assign(new Error('a large one'), { digest: 'OWN1234567' }));
});
Sentry.startSpan({ name: 'a span' }, () => undefined);
process.exitCode = (await Sentry.flush(8_000)) ? 0 : 1;
