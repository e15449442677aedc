import 'server-only';

import type { Step } from './adapter/step.ts';
import { healthPath, mountPath, readyPath } from './http/addresses.ts';
import { answersAt } from './http/file-rule.ts';
import { publicOrigin, serverSettings } from './http/server-settings.ts';
import type { Shedding } from './http/shedding.ts';
import { visitorSecret } from './http/visitor.ts';
import { belowMount, belowMountOfFile } from './middleware/below-mount.ts';
import { databaseGone, databaseGoneOfFile } from './middleware/database-gone.ts';
import { health, type HealthOptions } from './middleware/health.ts';
import { securityHeaders, securityHeadersOfFile } from './middleware/security-headers.ts';
import { shed, shedFile } from './middleware/shed.ts';

/** HTTP itself, as a part of the server: what stands around all that answers. */

/** Only an interface that another app mounts has a path before its own. */
export const mountSteps: readonly Step[] =
  mountPath === '' ? [] : [{ middleware: belowMount(), file: belowMountOfFile }];

export const securityHeadersStep: Step = { middleware: securityHeaders(), file: securityHeadersOfFile };

/** What stands above it is answered under any load. */
export function shedStep(shedding: Shedding): Step {
  return { middleware: shed(shedding), file: shedFile(shedding) };
}

/** A word for each reason. */
export function healthStep(options: HealthOptions): Step {
  return { middleware: health(options), file: answersAt(healthPath, readyPath) };
}

/** Pages need the database; what is received is kept without it. */
export function databaseGoneStep(isAway: () => boolean): Step {
  return { middleware: databaseGone(isAway), file: databaseGoneOfFile(isAway) };
}

/** Where this server is, for commands and proxies on the same machine. */
export function readPresence() {
  const settings = serverSettings();
  const address = { hostname: settings.hostname, port: settings.port };
  return { address, origin: publicOrigin(settings) + mountPath, door: visitorSecret() };
}
